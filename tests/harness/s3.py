"""A private S3 server (moto), from the environment that scripts/fetch-s3 made."""
import http.client
import json
import os
import subprocess
import time

from . import places, processes
from .patience import limit

PYTHON = os.path.join(places.TREE, ".deps", "s3", "bin", "python")

# Run by that environment's Python, which has the client library: a bucket, and a user who may use it.
# These are the requests that a server which checks signatures lets pass unchecked.
_SET_UP = """
import json, sys, boto3
url, bucket = sys.argv[1:]
aws = dict(endpoint_url=url, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
iam = boto3.client("iam", verify=False, **aws)
iam.create_user(UserName="wherry")
rules = {"Version": "2012-10-17",
         "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="wherry", PolicyName="s3", PolicyDocument=json.dumps(rules))
keys = iam.create_access_key(UserName="wherry")["AccessKey"]
boto3.client("s3", verify=False, **aws).create_bucket(Bucket=bucket)
print(json.dumps([keys["AccessKeyId"], keys["SecretAccessKey"]]))
"""
_SET_UP_REQUESTS = 4


def missing():
    """Why there is no S3 server here, or None."""
    return None if os.access(PYTHON, os.X_OK) else "no S3 server is installed in .deps/s3"


class S3Server:
    """One server with one bucket. Its tables of objects are in its memory."""

    bucket = "bucket"

    def __init__(self, t, name, checks_signatures=False, certificate=None):
        self.port = places.free_port()
        self.scheme = "https" if certificate else "http"
        env = dict(os.environ, NO_PROXY="*")
        if checks_signatures:
            env["INITIAL_NO_AUTH_ACTION_COUNT"] = str(_SET_UP_REQUESTS)
        command = [PYTHON, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        if certificate:
            command += ["-s", "-c", certificate[0], "-k", certificate[1]]
        self._log = open(t.path(f"s3-{name}.log"), "wb")
        self.child = processes.spawn(command, env=env, stdout=self._log, stderr=self._log)
        t.at_end(self.stop)
        self._wait()
        done = subprocess.run(
            [PYTHON, "-W", "ignore", "-c", _SET_UP, self.url, self.bucket],
            env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log, check=True,
        )
        self.access_key, self.secret_key = json.loads(done.stdout)

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def _wait(self):
        deadline = time.monotonic() + limit(60)
        while True:
            if self.child.poll() is not None:
                raise AssertionError(f"the S3 server ended with {self.child.returncode}")
            try:
                probe = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                probe.connect()
                probe.close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def uri(self, prefix="", **options):
        """For --storage and its like; the keys go through the environment."""
        all_options = {"endpoint": self.url, "region": "us-east-1", **options}
        query = "&".join(f"{name.replace('_', '-')}={value}" for name, value in all_options.items())
        return f"s3://{self.bucket}/{prefix}?{query}"

    def keys(self, secret_key=None):
        return {
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": secret_key or self.secret_key,
        }

    def stop(self):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        processes.forget(self.child)
        self._log.close()
