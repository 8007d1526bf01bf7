"""Tables of variables with which a program runs untrusted code, and of the values that do so."""

from hermes_guard import lazy_re as re

#: World-writable directories.
_FOLDER = r"/(?:private/)?(?:tmp|var/tmp|dev/shm)(?:/|\Z)"
ANYBODYS = re.compile(_FOLDER)
#: The same anywhere in a list of directories.
_IN_LIST = re.compile(rf"(?:.*:)?{_FOLDER}", re.DOTALL)

#: Variables whose value is a program, a library or a code file.
_ONE_FILE = """
PYTHONHOME PYTHONUSERBASE GIT_EXEC_PATH GIT_TEMPLATE_DIR ZDOTDIR OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES PSQLRC
R_PROFILE R_PROFILE_USER R_ENVIRON PHPRC PHP_INI_SCAN_DIR MYVIMRC CORECLR_PROFILER_PATH BASH_LOADABLES_PATH
RUSTC RUSTDOC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC CARGO_BUILD_RUSTC_WRAPPER CC CXX LD AR HOSTCC
CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_MAKE_PROGRAM SHELL CONFIG_SHELL MAKESHELL
npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_git npm_config_node_gyp PINENTRY_USER_DATA
"""
#: Variables whose value is a list of directories with code.
_FOLDERS = """
PERL5LIB PERLLIB RUBYLIB GIO_EXTRA_MODULES GTK_PATH GTK_MODULES QT_PLUGIN_PATH GST_PLUGIN_PATH EMACSLOADPATH TCLLIBPATH
AWKLIBPATH LUA_CPATH GUILE_LOAD_PATH JULIA_LOAD_PATH DYLD_FRAMEWORK_PATH FPATH KUBECTL_PLUGINS_PATH
"""
#: Options of the Java virtual machine.
_JAVA = """
JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS MAVEN_OPTS GRADLE_OPTS SBT_OPTS ANT_OPTS CATALINA_OPTS
KAFKA_OPTS LEIN_JVM_OPTS
"""
_ERLANG = "ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ELIXIR_ERL_OPTIONS"
_SERVERS = """
PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_DEFAULT_INDEX UV_INDEX UV_EXTRA_INDEX_URL npm_config_registry
NPM_CONFIG_REGISTRY YARN_REGISTRY YARN_NPM_REGISTRY_SERVER GOPROXY BUN_CONFIG_REGISTRY
"""
_LOADERS = r"(?:-r|--require|--import|--loader|--experimental-loader|--preload)[\s=]+"
#: An unencrypted server outside of the local network, whose code can be changed in transit.
_PLAIN_HTTP = re.compile(r"http://(?!localhost\b|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\w-]+\.[\w.-]+")
#: Perl modules that are commonly loaded for every run.
_PERL_MODULES = (
    r"(?:strict|warnings|utf8|open|lib|feature|diagnostics|autodie|bigint|re|local::lib|Carp|Devel|Test2?|TAP|"
    r"App::Prove|Data|Encode|List|POSIX|Time)\b"
)

PLANTED: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(_ONE_FILE.split(), ANYBODYS),
    **dict.fromkeys(_FOLDERS.split(), _IN_LIST),
    **dict.fromkeys(_SERVERS.split(), _PLAIN_HTTP),
    **dict.fromkeys(_ERLANG.split(), re.compile(r"(?:.*\s)?-(?:eval|run|s)\s", re.DOTALL)),
    **dict.fromkeys(
        _JAVA.split(),
        re.compile(
            rf"(?:.*\s)?-(?:(?:javaagent|agentpath):{_FOLDER}|Xbootclasspath/[ap]:{_FOLDER}|XX:On(?:OutOfMemory)?Error=)",
            re.DOTALL,
        ),
    ),
    "LD_PRELOAD": re.compile(r"(?!/(?:usr/)?(?:local/)?lib(?:32|64|exec)?/|/opt/homebrew/)[^\s\ue000]*/"),
    "LD_AUDIT": re.compile(r"[^\s\ue000]*/"),
    "DYLD_INSERT_LIBRARIES": re.compile(r"(?!/usr/lib/|/opt/homebrew/)[^\s\ue000]*/"),
    "GCONV_PATH": re.compile(r"\."),
    "BASH_ENV": re.compile(r"[^\s]"),
    "ENV": re.compile(r"[./~].*/|/"),
    "PYTHONSTARTUP": re.compile(rf"{_FOLDER}|\./"),
    "PYTHONBREAKPOINT": re.compile(r"(?:os|posix|subprocess|shutil|runpy|builtins)\."),
    "NODE_OPTIONS": re.compile(rf"(?:.*\s)?{_LOADERS}(?:{_FOLDER}|data:|https?:|\.\./\.\./)", re.DOTALL),
    "BUN_OPTIONS": re.compile(rf"(?:.*\s)?{_LOADERS}{_FOLDER}", re.DOTALL),
    "DOTNET_STARTUP_HOOKS": re.compile(r"[^\s]"),
    "PERL5OPT": re.compile(rf"(?:.*\s)?-(?:M-?(?!{_PERL_MODULES})\S|M\S*/|I\s*(?:{_FOLDER}|\.\.))", re.DOTALL),
    "RUBYOPT": re.compile(r"(?:.*\s)?-(?:r|I)\s*[./]"),
    "GOFLAGS": re.compile(r"(?:.*\s)?--?(?:toolexec|exec|overlay)\b", re.DOTALL),
    "GIT_SSL_NO_VERIFY": re.compile(r"(?!0\Z|false\Z|no\Z)\S", re.IGNORECASE),
    # A world-writable directory comes before those of the system; program directories in it are ordinary.
    "PATH": re.compile(
        r"(?:.*:)?(?:\.(?=:)|/(?:tmp|var/tmp|dev/shm)(?:(?!/bin(?::|/?\Z)|/\.bin(?::|\Z))[^:])*(?=:))", re.DOTALL
    ),
}
_ALL = re.compile(r"\s*(\S.*)", re.DOTALL)
_EX = re.compile(r"(?:\A|[|:\n])\s*:*\s*(?:silent!?\s+)?!([^\n]+)")
#: Variables that contain code: the part that is run, and the command that runs it.
CODE: dict[str, tuple[re.Pattern[str], str]] = {
    "PERL5DB": (re.compile(r"(?!\s*BEGIN\s*\{\s*require\s*['\"]?perl5db)\s*(\S.*)", re.DOTALL), "perl -e"),
    **dict.fromkeys(("LUA_INIT", "LUA_INIT_5_3", "LUA_INIT_5_4"), (_ALL, "lua -e")),
    **dict.fromkeys(("VIMINIT", "EXINIT", "GVIMINIT"), (_EX, "")),
}
