/** Tells text, controls and escape sequences apart, wherever the stream is cut. What they mean is told by the screen. */

const MAX_PARAMS = 256;
const STRING_ENDS = new Set(["\x07", "\x18", "\x1a", "\x9c"]);

/** The next C0 or C1 control from `from` on; the length of the text when there is none. */
function nextControl(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return at;
  }
  return text.length;
}

/** A state reads from `at` and gives where the next one goes on. */
type State = (this: Escapes, text: string, at: number) => number;

export abstract class Escapes {
  private state: State = this.ground;
  private params = "";

  protected abstract print(text: string): void;
  protected abstract runControl(char: string): void;
  protected abstract runEscape(char: string): void;
  /** `ESC ( 0` and the like: what the set of characters in a place is from now on. */
  protected abstract chooseSet(place: string, set: string): void;
  protected abstract runSequence(final: string, params: string): void;

  protected read(text: string): void {
    for (let at = 0; at < text.length; ) at = this.state(text, at);
  }

  private ground(text: string, at: number): number {
    const end = nextControl(text, at);
    if (end > at) this.print(text.slice(at, end));
    if (end < text.length) this.control(text[end] as string);
    return end + 1;
  }

  private control(char: string): void {
    if (char === "\x1b") this.state = this.escape;
    else if (!this.begin(char, "\x9b", "\x90\x98\x9d\x9e\x9f")) this.runControl(char);
  }

  private escape(text: string, at: number): number {
    const char = text[at] as string;
    this.state = this.ground;
    if (char >= " " && char <= "/") {
      this.params = char;
      this.state = this.escapeTail;
    } else if (char < " ") this.control(char);
    else if (!this.begin(char, "[", "PX]^_")) this.runEscape(char);
    return at + 1;
  }

  /** Begins a sequence or a string, if the character does. */
  private begin(char: string, sequence: string, strings: string): boolean {
    if (char === sequence) {
      this.params = "";
      this.state = this.sequence;
    } else if (strings.includes(char)) this.state = this.string;
    else return false;
    return true;
  }

  /** After `ESC (` and the like: one more character, a set of characters for instance. */
  private escapeTail(text: string, at: number): number {
    const char = text[at] as string;
    this.state = char === "\x1b" ? this.escape : this.ground;
    if (char > " ") this.chooseSet(this.params, char);
    return at + 1;
  }

  private sequence(text: string, at: number): number {
    const char = text[at] as string;
    if (char >= "@" && char <= "~") {
      this.state = this.ground;
      this.runSequence(char, this.params);
    } else if (char === "\x18" || char === "\x1a") this.state = this.ground;
    else if (char === "\x1b") this.state = this.escape;
    else if (char < " ")
      this.control(char); // a control inside a sequence acts at once
    else if (this.params.length < MAX_PARAMS) this.params += char;
    return at + 1;
  }

  private string(text: string, at: number): number {
    for (let end = at; end < text.length; end += 1) {
      const char = text[end] as string;
      if (char === "\x1b") this.state = this.stringEscape;
      else if (STRING_ENDS.has(char)) this.state = this.ground;
      else continue;
      return end + 1;
    }
    return text.length;
  }

  /** `ESC \` ends a string; any other escape ends it too and begins anew. */
  private stringEscape(text: string, at: number): number {
    this.state = text[at] === "\\" ? this.ground : this.escape;
    return text[at] === "\\" ? at + 1 : at;
  }
}
