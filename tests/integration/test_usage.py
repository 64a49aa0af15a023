"""The command line: exit codes, words for mistakes, configuration files, secrets, dry runs."""
import json

from harness import data, oracle, wherry
from harness.framework import check, test


def _refused(t, *argv, words=(), env=None, code=wherry.EXIT_REFUSED):
    run = wherry.run(t, *argv, env=env)
    check(run.child.returncode == code, lambda: f"{argv}: {run.tail()}")
    for word in words:
        check(word in run.err, lambda: f"{argv}: {word!r} is not said\n{run.tail()}")
    return run


_SERVERS = ("--source", "mysql://a:b@127.0.0.1:1/", "--target", "mysql://a:b@127.0.0.1:2/")


@test(dialects=())
def test_mistakes_name_the_nearest_right_word(t):
    _refused(t, words=["copy"])
    _refused(t, "cpoy", words=["copy"])
    _refused(t, "copy", "--sorce", "x", words=["--source"])
    _refused(t, "copy", *_SERVERS, "--chunkrows", "5", words=["--chunk-rows"])
    _refused(t, "copy", *_SERVERS, "--cutover", "maybe", words=["auto", "manual", "never"])
    _refused(t, "copy", *_SERVERS, "--chunk-rows", "many", words=["many"])
    _refused(t, "copy", *_SERVERS, "--memory", "lots", words=["lots"])
    _refused(t, "copy", *_SERVERS, "--rename", "nonsense", words=["nonsense"])
    _refused(t, "copy", "--source", "mysql://h/", words=["--target"])
    _refused(t, "copy", "--target", "mysql://h/", words=["--source"])
    _refused(t, "copy", "--source", "postgres://h/", "--target", "mysql://h/", words=["postgres"])
    _refused(
        t, "copy", "--source", "mysql://u@h/?tsl=required", "--target", "mysql://h/", words=["tls"]
    )


@test(dialects=())
def test_help_and_version(t):
    for argv, word in (
        (("help",), "copy"),
        (("help", "copy"), "--cutover-lock"),
        (("version",), "wherry"),
    ):
        run = wherry.run(t, *argv)
        check(run.child.returncode == 0 and word in run.out, run.tail)


@test(dialects=())
def test_unreachable_server_is_exit_1(t):
    secret = "p@ss:w/rd%41"
    run = wherry.run(
        t,
        "copy",
        "--source",
        "mysql://u:p%40ss%3Aw%2Frd%2541@127.0.0.1:1/",
        "--target",
        "mysql://u:p%40ss%3Aw%2Frd%2541@127.0.0.1:1/",
        "--log-level",
        "debug",
        secrets=(secret, "p%40ss%3Aw%2Frd%2541"),
    )
    check(run.child.returncode == wherry.EXIT_FAILED, run.tail)
    check("127.0.0.1:1" in run.err, run.tail)


@test()
def test_wrong_password_is_named_without_it(t):
    source, target = t.pair()
    run = wherry.run(
        t,
        "copy",
        "--source",
        source.uri("reader", "wr0ng:pass@word"),
        "--target",
        target.target_uri,
        "--log-level",
        "debug",
        secrets=("wr0ng:pass@word", "wr0ng%3Apass%40word"),
    )
    check(run.child.returncode == wherry.EXIT_FAILED, run.tail)
    check("reader" in run.err, lambda: "the account is not named\n" + run.tail())


@test(dialects=("mariadb",))
def test_configuration_file(t):
    source, target = t.pair()
    data.shop(source)
    config = t.path("wherry.toml")

    def write(text):
        with open(config, "w", encoding="utf-8") as out:
            out.write(text)

    write('source = "mysql://h/"\nchunk-row = 5\n')
    _refused(t, "copy", "--config", config, words=["chunk-rows", "2"])
    write('source = "mysql://h/\n')
    _refused(t, "copy", "--config", config)
    password_of = {"READER_PW": "rD9:s@e/c%r?e#t zQ", "WRITER_PW": "wR7:s@e/c%r?e#t xK"}
    write(
        f'source = "mysql://reader:${{READER_PW}}@127.0.0.1:{source.port}/"\n'
        f'target = "mysql://writer:${{WRITER_PW}}@127.0.0.1:{target.port}/"\n'
        'include = ["shop.customers", "shop.w*"]\nchunk-rows = 2\nprogress = "none"\n'
    )
    run = wherry.run(t, "copy", "--config", config, env=password_of)
    check(run.child.returncode == 0, run.tail)
    oracle.require_equal(source, target, ignore=("shop.orders",))
    _refused(t, "copy", "--config", config, env={"READER_PW": "x"}, words=["WRITER_PW"])


@test()
def test_dry_run_writes_nothing(t):
    source, target = t.pair()
    data.shop(source)
    before = target.value(
        "SELECT @@gtid_executed" if t.dialect == "mysql" else "SELECT @@gtid_binlog_pos"
    )
    run = wherry.copy(t, source, target, "--dry-run", report=False)
    after = target.value(
        "SELECT @@gtid_executed" if t.dialect == "mysql" else "SELECT @@gtid_binlog_pos"
    )
    check(before == after and not target.user_databases(), lambda: "it wrote\n" + run.tail())


@test(dialects=("mariadb",))
def test_json_result_and_progress(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.copy(t, source, target, "--json", progress="json")
    result = json.loads(run.out)
    check(result["state"] == "done", run.tail)
    states = [line["state"] for line in run.progress() if "state" in line]
    check(states, lambda: "no progress in JSON\n" + run.tail())
    check(not run.err.strip().startswith("{\n"), "progress lines are not one document each")


@test(dialects=("mariadb",))
def test_progress_lines_without_a_terminal(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.copy(t, source, target, progress=None)
    check("\r" not in run.err and "\x1b" not in run.err, "control characters in a file")


@test()
def test_check_command(t):
    source, target = t.pair()
    data.shop(source)
    run = wherry.run(t, "check", "--source", source.source_uri, "--target", target.target_uri)
    check(run.child.returncode == 0, run.tail)
    run = wherry.run(
        t, "check", "--source", source.source_uri, "--target", target.target_uri, "--json"
    )
    json.loads(run.out)
    check(not target.user_databases(), "check wrote to the target")
    source.execute(
        "CREATE USER poor@'%' IDENTIFIED BY 'poor-pw-81'", "GRANT SELECT ON *.* TO poor@'%'"
    )
    run = wherry.run(t, "check", "--source", source.uri("poor", "poor-pw-81"))
    check(run.child.returncode == wherry.EXIT_REFUSED, run.tail)
    check("GRANT" in run.out + run.err and "REPLICATION SLAVE" in run.out + run.err, run.tail)
