/** A stand-in for the model that a host gives to a widget, with the kernel's side of the messages in reach. */

type Handler = (...args: unknown[]) => void;

export class FakeModel {
  readonly sent: Record<string, unknown>[] = [];
  saved: unknown = null;
  private readonly handlers = new Map<string, Set<Handler>>();
  private readonly traits: Record<string, unknown>;

  /** `answer` is called with everything that the page sends; throw in it to be a closed comm. */
  constructor(
    traits: Record<string, unknown>,
    private readonly answer: (model: FakeModel, message: Record<string, unknown>) => void = () => {},
  ) {
    this.traits = { ...traits };
  }

  get(name: string): unknown {
    return this.traits[name];
  }

  set(name: string, value: unknown): void {
    this.traits[name] = value;
    if (name === "state") this.saved = value;
  }

  save_changes(): void {
    throw new Error("the page never sends traits");
  }

  send(message: Record<string, unknown>): void {
    this.sent.push(message);
    this.answer(this, message);
  }

  on(name: string, handler: Handler): void {
    let known = this.handlers.get(name);
    if (!known) {
      known = new Set();
      this.handlers.set(name, known);
    }
    known.add(handler);
  }

  off(name: string, handler: Handler): void {
    this.handlers.get(name)?.delete(handler);
  }

  /** What the kernel sends. */
  receive(message: unknown, buffers: DataView[] = []): void {
    for (const handler of [...(this.handlers.get("msg:custom") ?? [])]) handler(message, buffers);
  }

  trigger(name: string): void {
    for (const handler of [...(this.handlers.get(name) ?? [])]) handler();
  }

  /** Messages of one type that the page sent. */
  of(type: string): Record<string, unknown>[] {
    return this.sent.filter((message) => message.type === type);
  }
}

/** A kernel that says to every hello that nothing is missing. */
export function attentive(model: FakeModel, message: Record<string, unknown>): void {
  const seq = (model.get("state") as { seq?: number } | undefined)?.seq ?? 0;
  if (message.type === "hello") queueMicrotask(() => model.receive({ type: "seq", seq }));
}
