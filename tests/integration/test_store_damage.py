"""A store whose files were damaged from outside: said in words, and no number of a lost job is another's."""

import json

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"


def setUpModule():
    lab.need(SME2LABD, NATIVE_AGENT, lab.AGENT, lab.EMULATOR)


def submit(daemon):
    return json.loads(daemon.submit({"model": daemon.put_blob(TOY / "model.pte"), "runs": 1})[2])["id"]


class TestStoreDamage(lab.Scratch):
    def test_a_cut_log_gives_no_number_twice(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            first = daemon.wait(submit(daemon))
            daemon.terminate()  # which moves all rows into the database
            daemon.start()
            second = daemon.wait(submit(daemon))
            daemon.kill()
            (state / "store.sqlite-wal").write_bytes(b"")
            daemon.start()
            self.assertEqual(daemon.request("GET", f"/api/v1/jobs/{second['id']}")[0], 404)
            self.assertIn("event=store_rows_lost jobs=1 runs=1", daemon.log_text())
            third = daemon.wait(submit(daemon))
            self.assertEqual([job["id"] for job in (first, second, third)], [1, 2, 3])
            self.assertEqual([job["run"] for job in (first, second, third)], [1, 2, 3])

    def test_a_damaged_database_is_refused_with_words(self):
        state = self.scratch / "state"
        with Daemon(state) as daemon:
            daemon.wait(submit(daemon))
            daemon.terminate()
            with open(state / "store.sqlite", "r+b") as database:
                database.seek(2 * 4096)
                database.write(b"\xa5" * 4096)
            with self.assertRaisesRegex(AssertionError, "the store is damaged"):
                daemon.start()


if __name__ == "__main__":
    lab.main()
