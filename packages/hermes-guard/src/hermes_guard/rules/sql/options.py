"""Option tables of database clients: which options and operands contain SQL."""

from typing import NamedTuple

from hermes_guard.argv import Spec


class Client(NamedTuple):
    """The options of one client program."""

    spec: Spec
    #: Options whose value is SQL.
    sql: tuple[str, ...]
    #: Options whose value is an SQL file.
    files: tuple[str, ...] = ("f", "file")


_PSQL = (
    "c= command= d= dbname= f= file= h= host= p= port= U= username= v= set= variable= o= output= L= "
    "log-file= F= field-separator= R= record-separator= P= pset= T= table-attr= a b e E n s S A H t x z 0 1 "
    "l q w W X V list help? version csv"
)
_MYSQL = (
    "e= execute= init-command= u= user= p? password? h= host= P= port= D= database= S= socket= A B N s v t r "
    "n f w E H X i L q c C V G o W b safe-updates batch silent skip-column-names table force raw vertical "
    "xml html verbose "
    "defaults-file= defaults-extra-file= defaults-group-suffix= ssl-mode= ssl-ca= ssl-cert= ssl-key= "
    "protocol= default-character-set= login-path= delimiter= tee= pager? connect-timeout= "
    "max-allowed-packet= prompt= help? version"
)
CLIENTS: dict[str, Client] = {
    **dict.fromkeys(
        ("psql", "pgcli", "gsql", "vsql", "ysqlsh", "edb-psql", "gpsql", "redshift"),
        Client(Spec(_PSQL), ("c", "command")),
    ),
    **dict.fromkeys(
        ("mysql", "mariadb", "mycli", "mysqlsh", "memsql", "tidb", "obclient", "mysql-client"),
        Client(Spec(_MYSQL), ("e", "execute", "init-command")),
    ),
    **dict.fromkeys(
        ("sqlite3", "sqlite", "litecli", "sqlcipher", "libsql"),
        Client(
            Spec(
                "cmd= separator= nullvalue= newline= init= vfs= mmap= maxsize= pagecache= lookaside= heap= header "
                "noheader csv json line list column table html markdown box quote tabs ascii batch interactive "
                "readonly bail echo stats version help safe e= execute= deserialize",
                single=True,
            ),
            ("cmd", "e", "execute"),
            ("init",),
        ),
    ),
    **dict.fromkeys(
        ("sqlcmd", "osql", "isql", "go-sqlcmd", "mssql-cli"),
        Client(
            Spec(
                "Q= q= i= o= S= U= P= d= E C b h= s= w= W t= l= N e I k r V= v= x query= input-file= server= "
                "database-name= help"
            ),
            ("Q", "q", "query"),
            ("i", "input-file"),
        ),
    ),
    **dict.fromkeys(
        ("duckdb",),
        Client(
            Spec(
                "c= s= cmd= init= f= separator= nullvalue= csv json line list column readonly unsigned header batch "
                "markdown ui no-stdin help version",
                single=True,
            ),
            ("c", "s", "cmd"),
            ("f", "init"),
        ),
    ),
    **dict.fromkeys(
        ("clickhouse-client", "clickhouse-local", "clickhouse", "chdb"),
        Client(
            Spec(
                "q= query= h= host= port= u= user= password= d= database= queries-file= n multiquery m multiline f= "
                "format= t time s secure S= structure= N= table= F= file= help version"
            ),
            ("q", "query"),
            ("queries-file",),
        ),
    ),
    **dict.fromkeys(
        ("cockroach", "tsql", "usql", "dolt", "questdb", "crash", "rqlite", "aql", "exaplus", "ksql", "ksqldb-cli"),
        Client(
            Spec(
                "e= execute= c= command= q= query= f= file= url= host= h= p= port= u= user= d= database= insecure "
                "certs-dir= format= o= r= result-format= help version"
            ),
            ("e", "execute", "c", "command", "q", "query"),
        ),
    ),
    **dict.fromkeys(
        ("snowsql", "snow"),
        Client(
            Spec(
                "q= query= f= filename= a= accountname= u= username= d= dbname= s= schemaname= r= rolename= w= "
                "warehouse= c= connection= o= D= variable= help version"
            ),
            ("q", "query"),
            ("f", "filename"),
        ),
    ),
    **dict.fromkeys(
        ("trino", "presto", "presto-cli"),
        Client(
            Spec(
                "execute= server= catalog= schema= user= f= file= output-format= source= password session= help version"
            ),
            ("execute",),
        ),
    ),
    **dict.fromkeys(
        ("hive", "beeline", "spark-sql", "impala-shell"),
        Client(
            Spec(
                "e= f= u= n= p= d= q= i= query= query_file= database= hiveconf= hivevar= conf= master= k B o= help "
                "version"
            ),
            ("e", "q", "query"),
            ("f", "query_file", "i"),
        ),
    ),
    **dict.fromkeys(
        ("sqlplus", "sqlcl", "sql", "tbsql", "db2", "bteq", "nzsql", "dbaccess", "fbsql", "isql-fb"),
        Client(Spec("S L s c= command= h= d= t v x help version"), ("c", "command")),
    ),
    **dict.fromkeys(
        ("cqlsh", "influx", "influx3", "tarantoolctl", "mclient", "taos", "cypher-shell"),
        Client(
            Spec(
                "e= execute= u= username= p= password= k= keyspace= f= file= database= host= port= d= a= address= "
                "format= s= server= conn= ns= db= ssl endpoint= help version",
            ),
            ("e", "execute", "s"),
        ),
    ),
    "surreal": Client(
        Spec(
            "c= conn= e= endpoint= u= user= username= p= pass= password= ns= namespace= db= database= pretty json "
            "hide-welcome multi t= token= auth-level= help version"
        ),
        (),
    ),
    "cbq": Client(Spec("e= engine= s= script= f= file= u= user= p= password= q quiet help version"), ("s", "script")),
    "sqlite-utils": Client(Spec("p= param= attach= load-extension= functions= csv json-cols t table help version"), ()),
}
#: Clients whose operands are SQL, and the number of operands before it.
OPERAND_SQL = {
    "sqlite3": 1,
    "sqlite": 1,
    "litecli": 1,
    "sqlcipher": 1,
    "libsql": 1,
    "duckdb": 1,
    "db2": 0,
    "cypher-shell": 0,
    "influx3": 1,
    "sqlite-utils": 1,
}
#: Clients that take an SQL file as an operand with this prefix.
FILE_OPERAND = {"sqlplus": "@", "sqlcl": "@", "sql": "@", "tbsql": "@"}
