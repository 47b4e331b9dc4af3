"""By the default policy no program and no operator is slower with SME2 on than off, beyond the band: estimated, on every silicon that there is a
profile of. By the middle of the estimate no operator is but those that are named here, all of them on C1 cores."""

import json

import lab

# Programs of every kind; the small ones have products of a few rows and columns, which entering the unit alone costs as much as.
PROGRAMS = ("delegate_ops_f32_xnnpack", "dynamic_sequence_f32_xnnpack", "dynamic_shape_f32_xnnpack", "kitchen_nn_portable", "linear_qd8_qb4w_xnnpack",
            "quant_ops_int8_xnnpack", "toy_cnn_f32_xnnpack", "toy_cnn_int8_xnnpack")
WORK_NS = 30_000  # off: below it the calls are the time
SHOWN = 1.2  # a gain that is one
# Every operator that is slower by the middle, by its profile; an M4 gains more by most of them than a C1-Ultra loses.
BY_MIDDLE = {
    "arm-c1-premium": {("kitchen_nn_portable", "native_call_convolution.out")},
    "arm-c1-ultra": {
        ("delegate_ops_f32_xnnpack", "Deconvolution (NHWC, F32) Subconv2D"), ("delegate_ops_f32_xnnpack", "Fully Connected (NC, PF32) GEMM"),
        ("dynamic_sequence_f32_xnnpack", "Batch Matrix Multiply (NC, PF32) GEMM"), ("dynamic_shape_f32_xnnpack", "Convolution (NHWC, PF32) IGEMM"),
        ("kitchen_nn_portable", "native_call_convolution.out"), ("linear_qd8_qb4w_xnnpack", "Fully Connected (NC, QP8, F32, QB4W) GEMM"),
        ("quant_ops_int8_xnnpack", "Convolution (NHWC, PQS8, QS8, QC8W) IGEMM"), ("quant_ops_int8_xnnpack", "Deconvolution (NHWC, PQS8, QS8, QC8W) IGEMM"),
        ("toy_cnn_int8_xnnpack", "Convolution (NHWC, PQS8, QS8, QC8W) IGEMM")}}
SAME = 1 + 1e-6  # what runs the same kernels


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


def with_a_unit():
    """Names of the profiles that can execute SME2."""
    for path in sorted((lab.ROOT / "configs/silicon").glob("*.json")):
        profile = json.loads(path.read_text())
        if any(figure["name"].startswith("unit.") for figure in profile["figures"]):
            yield profile["name"]


class Default(lab.Scratch):
    def estimates_of(self, program, *words):
        out = self.scratch / program
        done = lab.sme2lab("run", lab.MODELS / program / "model.pte", "--device", "counted", "--runs", "1", "--warmup", "1", "--out", out, "-q", *words)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)  # 1: halves that agree less; 3: as many instructions
        return {one["profile"]: one for one in json.loads((out / "manifest.json").read_text())["estimates"]}

    def test_no_program_is_slower_with_sme2_on_beyond_the_band(self):
        profiles = list(with_a_unit())
        self.assertGreaterEqual(len(profiles), 5)
        gains, slower = 0, {}
        for program in PROGRAMS:
            found = self.estimates_of(program, "--silicon", ",".join(profiles))
            self.assertEqual(set(found), set(profiles))
            for profile, one in found.items():
                off, on = one["off"], one["on"]
                for row in one["operators"]:
                    with self.subTest(program=program, profile=profile, operator=row["operator"]):
                        if "off" in row and "on" in row:
                            self.assertLessEqual(row["on"]["low_ns"], row["off"]["high_ns"])
                            if row["on"]["mid_ns"] > row["off"]["mid_ns"] * SAME:
                                slower.setdefault(profile, set()).add((program, row["operator"]))
                with self.subTest(program=program, profile=profile):
                    self.assertLessEqual(on["low_ns"], off["high_ns"])
                    if off["mid_ns"] >= WORK_NS and "_xnnpack" in program and "ops" not in program:
                        self.assertLessEqual(on["mid_ns"], off["high_ns"])
                gains += off["mid_ns"] > SHOWN * on["mid_ns"]
        self.assertEqual(slower, BY_MIDDLE)
        self.assertGreater(gains, len(PROGRAMS) * len(profiles) / 3, "the default still takes what SME2 gains")


if __name__ == "__main__":
    lab.main()
