import time, anyio
from hermes_tools_terminal.shell.session import Shell
def test_b(opened):
    t=time.perf_counter(); p=opened(); print("open",time.perf_counter()-t)
    async def m():
        s=Shell(p); t=time.perf_counter(); await s.run("true",timeout=10); print("first",time.perf_counter()-t)
        t=time.perf_counter()
        for _ in range(100): await s.run("true",timeout=10)
        print("warm ms",(time.perf_counter()-t)*10)
        t=time.perf_counter(); o=await s.run("head -c 20000000 /dev/zero | tr '\\0' x",timeout=60); print("20MB",time.perf_counter()-t,o.size,o.status)
        await anyio.to_thread.run_sync(s.close)
    anyio.run(m)
    t=time.perf_counter(); p.close(); print("close",time.perf_counter()-t)
