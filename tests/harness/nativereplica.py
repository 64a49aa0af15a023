"""The servers' own replication, as a yardstick for the tests themselves."""
from . import datadirs
from .framework import wait_until


def attach(t, source, replica, start=True):
    """Makes `replica` follow `source` from now on; without start, from this place on later. The
    test's end ends it: servers are used by other tests then."""
    t.at_end(lambda: detach(replica))
    if source.dialect == "mariadb":
        replica.execute(
            "SET GLOBAL gtid_slave_pos='%s'" % source.value("SELECT @@gtid_binlog_pos"),
            "CHANGE MASTER TO master_host='127.0.0.1', master_port=%d, master_user="
            "'reader', master_password='%s', master_use_gtid=slave_pos"
            % (source.port, datadirs.READER_PASSWORD),
            *(["START SLAVE"] if start else []),
        )
    else:
        replica.execute(
            "RESET BINARY LOGS AND GTIDS",
            "SET GLOBAL gtid_purged='%s'" % source.value("SELECT @@gtid_executed"),
            "CHANGE REPLICATION SOURCE TO source_host='127.0.0.1', source_port=%d,"
            " source_user='reader', source_password='%s', source_auto_position=1,"
            " source_ssl=1" % (source.port, datadirs.READER_PASSWORD),
            *(["START REPLICA"] if start else []),
        )


def run_until(replica, gtid, timeout=60):
    """Applies everything through the GTID set or position and nothing after it."""
    if replica.dialect == "mariadb":
        replica.execute(f"START SLAVE UNTIL master_gtid_pos='{gtid}'")
        running = "Slave_SQL_Running"
    else:
        replica.execute(
            "SET GLOBAL replica_parallel_workers=1",
            f"START REPLICA UNTIL SQL_AFTER_GTIDS='{gtid}'",
        )
        running = "Replica_SQL_Running"

    def stopped():
        status = _status(replica)
        for name in ("Last_IO_Error", "Last_SQL_Error"):
            if status[name]:
                raise AssertionError(f"the replica stopped: {status[name]}")
        return status[running] == "No"

    wait_until(stopped, timeout, "native replication")


def _status(replica):
    word = "SLAVE" if replica.dialect == "mariadb" else "REPLICA"
    with replica.connect() as session, session.cursor() as cursor:
        cursor.execute(f"SHOW {word} STATUS")
        return dict(zip((d[0] for d in cursor.description), cursor.fetchone()))


def wait_caught_up(source, replica, timeout=60):
    if source.dialect == "mariadb":
        target = source.value("SELECT @@gtid_binlog_pos")
        done = "SELECT MASTER_GTID_WAIT('%s', 0.2)=0" % target
    else:
        target = source.value("SELECT @@gtid_executed").replace("\n", "")
        done = "SELECT GTID_SUBSET('%s', @@gtid_executed)" % target

    def arrived():
        status = _status(replica)
        for name in ("Last_IO_Error", "Last_SQL_Error"):
            if status[name]:
                raise AssertionError(f"the replica stopped: {status[name]}")
        return replica.value(done)

    wait_until(arrived, timeout, "native replication")


def detach(replica):
    if replica.dialect == "mariadb":
        replica.execute("STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL gtid_slave_pos=''")
    else:
        replica.execute("STOP REPLICA", "RESET REPLICA ALL")
