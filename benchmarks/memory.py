"""The most memory that a process holds while it takes 300 steps of the MLP workload."""

WHAT = "peak memory of the MLP loop"
UNIT = "MB"
LIMITS = {"torch": 1}
COLD = True
MAX_ROUNDS = 3


def _script(side):
    return f"""
import mlp
step = mlp.{side}().names["step"]
for _ in range(300):
    step()
with open("/proc/self/status") as status:
    peak = next(line for line in status if line.startswith("VmHWM"))
print(int(peak.split()[1]) / 1024)
"""


def agog():
    return _script("agog")


def torch():
    return _script("torch")


def tf():
    return _script("tf")


def jax():
    return _script("jax")
