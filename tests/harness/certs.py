"""A throw-away certificate authority and a server certificate for it, made with openssl."""
import os
import subprocess


def _openssl(*args, cwd):
    subprocess.run(
        ("openssl",) + args, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def _issue(folder, name, subject, alternative):
    """A certificate `name`-cert.pem signed by ca.pem."""
    _openssl(
        "req",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        f"/CN={subject}",
        "-keyout",
        f"{name}-key.pem",
        "-out",
        f"{name}.csr",
        cwd=folder,
    )
    with open(os.path.join(folder, f"{name}.ext"), "w") as ext:
        ext.write(f"subjectAltName={alternative}\n")
    _openssl(
        "x509",
        "-req",
        "-in",
        f"{name}.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca-key.pem",
        "-CAcreateserial",
        "-days",
        "30",
        "-extfile",
        f"{name}.ext",
        "-out",
        f"{name}-cert.pem",
        cwd=folder,
    )


def make(folder):
    """Writes ca.pem with server-cert.pem (for 127.0.0.1 and localhost) and elsewhere-cert.pem (for
    another host), and a foreign authority other-ca.pem that signed neither."""
    os.makedirs(folder, exist_ok=True)
    for name in ("ca", "other-ca"):
        _openssl(
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "30",
            "-subj",
            f"/CN=test {name}",
            "-keyout",
            f"{name}-key.pem",
            "-out",
            f"{name}.pem",
            cwd=folder,
        )
    _issue(folder, "server", "localhost", "DNS:localhost,IP:127.0.0.1")
    _issue(folder, "elsewhere", "db.example.net", "DNS:db.example.net")
    return folder
