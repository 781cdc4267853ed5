// Equality by value of parts of a text's tree.

/** Numbers that conditions, phrases, calls and agreements share if they say the same, wherever they stand. */
export class Keys {
  #numbers = new Map();
  #known = new Map();

  of(part) {
    if (part === null) return -1;
    let key = this.#known.get(part);
    if (key === undefined) {
      const text = this.#textOf(part);
      key = this.#numbers.get(text);
      if (key === undefined) this.#numbers.set(text, (key = this.#numbers.size));
      this.#known.set(part, key);
    }
    return key;
  }

  #textOf(part) {
    switch (part.type) {
      case "AllOf": case "AnyOf": return `${part.type} ${part.parts.map((one) => this.of(one)).join()}`;
      case "NotThis": return `not ${this.of(part.part)}`;
      case "CallPattern": return `${part.kind} ${part.level} ${part.strain}`;
      case "Agreement": {
        const { kind, text, call, suit, condition } = part;
        return `${kind};${text};${this.of(call)};${suit};${this.of(condition)}`;
      }
      default: {
        const { kind, range, suits, count, of, who, call, text } = part;
        const within = range === null ? "" : `${range.low}-${range.high}-${range.also.join()}`;
        return `${kind};${within};${suits.join()};${count};${of};${who};${this.of(call)};${text}`;
      }
    }
  }
}
