"""The PyTorch side of the comparison: a chain of dense layers, trained on random rows.

Started by netc_bench with the widths, the batch, the dropout rate, the threads and "eager" or "compiled"; says "ready"
(or "absent: why") on a line, then for every line "N" on standard input makes N training steps and answers with the
seconds they took. The same arithmetic as models/fashion_mlp.net: relu and dropout between layers, cross-entropy on
logits, RMSprop with PyTorch's own fused or foreach implementation where it has one.
"""
import sys
import time


def main():
    widths = [int(width) for width in sys.argv[1].split(",")]
    batch, rate = int(sys.argv[2]), float(sys.argv[3])
    threads, mode = int(sys.argv[4]), sys.argv[5]
    try:
        import torch
    except ImportError as error:
        print(f"absent: {error}", flush=True)
        return
    if mode == "compiled" and not hasattr(torch, "compile"):
        print(f"absent: torch {torch.__version__} has no torch.compile", flush=True)
        return

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    layers = []
    for inputs, outputs in zip(widths[:-2], widths[1:-1]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
        if rate > 0:
            layers.append(torch.nn.Dropout(rate))
    layers.append(torch.nn.Linear(widths[-2], widths[-1]))
    net = torch.nn.Sequential(*layers)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=0.001, alpha=0.9)
    loss_of = torch.nn.CrossEntropyLoss()
    rows = torch.rand(16 * batch, widths[0])
    labels = torch.randint(0, widths[-1], (16 * batch,))
    forward = torch.compile(net) if mode == "compiled" else net

    def step(number):
        begin = (number % 16) * batch
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(forward(rows[begin:begin + batch]), labels[begin:begin + batch])
        loss.backward()
        optimizer.step()

    for number in range(5):
        step(number)
    print(f"ready: torch {torch.__version__}", flush=True)
    for line in sys.stdin:
        count = int(line)
        start = time.perf_counter()
        for number in range(count):
            step(number)
        print(time.perf_counter() - start, flush=True)


main()
