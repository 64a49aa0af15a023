"""A throw-away certificate authority and a server certificate for it, made with openssl."""
import os
import subprocess


def _openssl(*args, cwd):
    subprocess.run(("openssl",) + args, cwd=cwd, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)


def make(folder):
    """Writes ca.pem, server-cert.pem and server-key.pem (for 127.0.0.1 and localhost), and a foreign
    authority other-ca.pem that signed neither."""
    os.makedirs(folder, exist_ok=True)
    for name in ("ca", "other-ca"):
        _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj",
                 f"/CN=test {name}", "-keyout", f"{name}-key.pem", "-out", f"{name}.pem", cwd=folder)
    _openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout",
             "server-key.pem", "-out", "server.csr", cwd=folder)
    with open(os.path.join(folder, "san.ext"), "w") as ext:
        ext.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    _openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca-key.pem",
             "-CAcreateserial", "-days", "30", "-extfile", "san.ext", "-out", "server-cert.pem",
             cwd=folder)
    return folder
