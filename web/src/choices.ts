// What the reader has chosen. Drawing again, with newer data, leaves it as it is.

const chosen = new Map<string, unknown>();

export class Choice<T> {
  private listeners: (() => void)[] = [];

  /** `key` names it on the page: the choice of the same name that was made before is taken up. */
  constructor(private readonly key: string, private readonly fallback: T) {}

  get value(): T {
    return chosen.has(this.key) ? (chosen.get(this.key) as T) : this.fallback;
  }
  set value(value: T) {
    chosen.set(this.key, value);
    for (const listener of this.listeners) listener();
  }
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
}
