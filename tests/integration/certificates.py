"""Certificates as a lab's own authority would make them, by the openssl program. Standard library only."""

import subprocess


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, stdin=subprocess.DEVNULL)


def authority(folder):
    """The certificate that clients trust; its key lies beside it."""
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", 30, "-subj", "/CN=lab authority", "-keyout", folder / "ca.key",
            "-out", folder / "ca.pem")
    return folder / "ca.pem"


def certificate(folder, name="lab", days=30, passphrase=None):
    """NAME.pem and NAME.key for localhost and 127.0.0.1, signed by the folder's authority; as the configuration's "tls"."""
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    key, request, made = folder / f"{name}.key", folder / f"{name}.csr", folder / f"{name}.pem"
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key,
            *(("-aes128", "-pass", f"pass:{passphrase}") if passphrase else ()))
    openssl("req", "-new", "-key", key, "-subj", f"/CN={name}", "-out", request, *(("-passin", f"pass:{passphrase}") if passphrase else ()))
    openssl("x509", "-req", "-in", request, "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key", "-CAcreateserial", "-days", days,
            "-extfile", folder / "names", "-out", made)
    key.chmod(0o600)
    return {"certificate": str(made), "key": str(key)}
