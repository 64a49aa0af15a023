"""Ways to reach a server: TLS modes, authentication plugins, sockets, odd passwords."""
from harness import data, datadirs, oracle, wherry
from harness.framework import check, test

_PASSWORD = "p%2@:/?#[]!$&'()*+,;= ü"


def _rights(server, account):
    status = "BINLOG MONITOR" if server.dialect == "mariadb" else "REPLICATION CLIENT"
    return f"GRANT SELECT, RELOAD, LOCK TABLES, REPLICATION SLAVE, {status} ON *.* TO {account}"


def _copy(t, source, target, uri, expect=wherry.EXIT_DONE):
    run = wherry.copy(
        t, source, target, source_uri=uri, expect=expect, secrets=(_PASSWORD,) + datadirs.SECRETS
    )
    if expect == wherry.EXIT_DONE:
        oracle.require_equal(source, target)
        target.execute("DROP DATABASE shop", "DROP DATABASE wherry")
    return run


@test()
def test_tls_modes(t):
    source, target = t.pair()
    data.shop(source)
    tls = datadirs.tls_folder()
    source.execute(
        f"CREATE USER must_tls@'%' IDENTIFIED BY '{datadirs.READER_PASSWORD}' REQUIRE SSL",
        _rights(source, "must_tls@'%'"),
    )

    def uri(**options):
        return source.uri("must_tls", datadirs.READER_PASSWORD, **options)

    _copy(t, source, target, uri(tls="preferred"))
    _copy(t, source, target, uri(tls="required"))
    _copy(t, source, target, uri(tls="verify-ca", tls_ca=f"{tls}/ca.pem"))
    _copy(t, source, target, uri(tls="verify-identity", tls_ca=f"{tls}/ca.pem"))
    _copy(t, source, target, uri(tls="disabled"), expect=wherry.EXIT_FAILED)
    _copy(
        t,
        source,
        target,
        uri(tls="verify-ca", tls_ca=f"{tls}/other-ca.pem"),
        expect=wherry.EXIT_FAILED,
    )
    _copy(
        t,
        source,
        target,
        uri(tls="verify-identity", tls_ca=f"{tls}/other-ca.pem"),
        expect=wherry.EXIT_FAILED,
    )


@test(dialects=("mariadb",))
def test_certificate_of_another_host(t):
    tls = datadirs.tls_folder()
    source = t.server(
        options={"ssl-cert": f"{tls}/elsewhere-cert.pem", "ssl-key": f"{tls}/elsewhere-key.pem"}
    )
    target = t.server()
    data.shop(source)
    for mode, expect in (("verify-ca", wherry.EXIT_DONE), ("verify-identity", wherry.EXIT_FAILED)):
        uri = source.uri("reader", datadirs.READER_PASSWORD, tls=mode, tls_ca=f"{tls}/ca.pem")
        _copy(t, source, target, uri, expect=expect)


@test(dialects=("mariadb",))
def test_tls_required_of_a_server_without(t):
    source = t.server(options={"ssl-ca": None, "ssl-cert": None, "ssl-key": None})
    target = t.server()
    data.shop(source)
    required = source.uri("reader", datadirs.READER_PASSWORD, tls="required")
    _copy(t, source, target, required, expect=wherry.EXIT_FAILED)
    _copy(t, source, target, source.uri("reader", datadirs.READER_PASSWORD, tls="preferred"))


@test()
def test_authentication_plugins(t):
    source, target = t.pair()
    data.shop(source)
    quoted = _PASSWORD.replace("'", "''")
    if t.dialect == "mariadb":
        source.execute("INSTALL SONAME 'auth_ed25519'")
        t.at_end(lambda: source.execute("UNINSTALL SONAME 'auth_ed25519'"))
        accounts = {
            "native": f"VIA mysql_native_password USING PASSWORD('{quoted}')",
            "ed": f"VIA ed25519 USING PASSWORD('{quoted}')",
        }
    else:
        accounts = {
            "cached": f"WITH caching_sha2_password BY '{quoted}'",
            "sha": f"WITH sha256_password BY '{quoted}'",
        }
    for name, how in accounts.items():
        source.execute(f"CREATE USER {name}@'%' IDENTIFIED {how}", _rights(source, f"{name}@'%'"))
        for tls in ("disabled", "required"):
            # The second login of caching_sha2_password takes its fast path.
            for _ in range(2 if name == "cached" else 1):
                _copy(t, source, target, source.uri(name, _PASSWORD, tls=tls))


@test()
def test_sockets(t):
    source, target = t.pair()
    data.shop(source)
    wherry.copy(
        t,
        source,
        target,
        source_uri=source.uri("reader", datadirs.READER_PASSWORD, socket=True),
        target_uri=target.uri("writer", datadirs.WRITER_PASSWORD, socket=True),
    )
    oracle.require_equal(source, target)


@test()
def test_account_without_password(t):
    source, target = t.pair()
    data.shop(source)
    source.execute("CREATE USER open_door@'%'", _rights(source, "open_door@'%'"))
    _copy(t, source, target, source.uri("open_door", None))


@test()
def test_local_infile_off(t):
    """Without LOAD DATA LOCAL at the target the copy is slower, and right."""
    source = t.server()
    target = t.server(options={"local-infile": "OFF"})
    data.shop(source)
    data.numbers(source, rows=3000)
    wherry.copy(t, source, target)
    oracle.require_equal(source, target)


@test(dialects=("mariadb",))
def test_mariadb_scheme(t):
    source, target = t.pair()
    data.shop(source)
    wherry.copy(t, source, target, source_uri=source.source_uri.replace("mysql://", "mariadb://"))
    oracle.require_equal(source, target)
