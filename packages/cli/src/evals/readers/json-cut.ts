import { InputError } from "../../errors.ts";
import { parseJson } from "./json-parse.ts";

/** One value of a JSON file: where it stands, such as `$.results[]`, and on which line it begins. */
export interface Cut {
  path: string;
  value: unknown;
  line: number;
}

interface Container {
  isList: boolean;
  path: string;
  /** The path of the value that comes next. */
  next: string;
  /** What came last: the bracket, a key, its colon, a value, or a comma. */
  last: "bracket" | "key" | "colon" | "value" | "comma";
  /** The keys so far that lead to what is wanted. Of others a name may stand twice. */
  keys: Set<string>;
}

/** One value is parsed as a whole, so it must fit into memory several times. */
const maxValueBytes = 32 * 1024 * 1024;
const maxDepth = 512;
const maxKeyBytes = 1000;

const [quote, backslash, comma, colon, newline] = [0x22, 0x5c, 0x2c, 0x3a, 0x0a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number) => byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09;

/**
 * Cuts the values at the wanted paths out of JSON or JSON Lines, as the bytes come. `$` is a whole value, `[]` any item
 * of a list, and `$.*` any field of the outermost object that leads to nothing else. Bytes that nobody wants are only
 * counted through, which is several times as fast as a parser that makes a value of each (decision 0027).
 */
export class JsonCutter {
  private readonly wanted: ReadonlySet<string>;
  private readonly prefixes: ReadonlySet<string>;
  private readonly onPath: ((path: string) => void) | undefined;
  private readonly stack: Container[] = [];
  private line = 1;
  /** The bytes of the value that is being cut, or of a key. */
  private kept: Buffer[] = [];
  private keptBytes = 0;
  private keeping: { path: string; line: number; isKey: boolean } | undefined;
  /** Whether it is within a list or an object that leads to nothing wanted. */
  private isPassing = false;
  /** How deep it is within the value that is being cut or passed over. */
  private depth = 0;
  private inside: "nothing" | "string" | "scalar" = "nothing";
  private isEscaped = false;

  constructor(wanted: readonly string[], onPath?: (path: string) => void) {
    this.wanted = new Set(wanted);
    this.prefixes = new Set(wanted.flatMap(prefixesOf));
    this.onPath = onPath;
  }

  *read(chunk: Uint8Array): Generator<Cut> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === newline) this.line++;
      if (this.inside === "string") {
        if (this.isEscaped) this.isEscaped = false;
        else if (byte === backslash) this.isEscaped = true;
        else if (byte === quote) {
          this.inside = "nothing";
          if (this.keeping !== undefined && this.depth === 0)
            yield* this.finish(bytes.subarray(start, at + 1));
        }
        continue;
      }
      if (this.inside === "scalar") {
        if (!isSpace(byte) && byte !== comma && byte !== closeList && byte !== closeObject) continue;
        this.inside = "nothing";
        if (this.keeping !== undefined && this.depth === 0) yield* this.finish(bytes.subarray(start, at));
      }
      if (isSpace(byte)) continue;
      if (this.keeping !== undefined || this.isPassing) {
        if (byte === quote) this.inside = "string";
        else if (byte === openList || byte === openObject) this.descend();
        else if ((byte === closeList || byte === closeObject) && --this.depth === 0) {
          if (this.isPassing) this.isPassing = false;
          else yield* this.finish(bytes.subarray(start, at + 1));
        }
        continue;
      }
      this.step(byte);
      // What is kept from here on begins with this very byte.
      start = at;
    }
    if (this.keeping !== undefined) this.keep(bytes.subarray(start));
  }

  /** Takes the end of the file. */
  *end(): Generator<Cut> {
    if (this.inside === "scalar" && this.stack.length === 0 && this.keeping !== undefined) {
      yield* this.finish(Buffer.alloc(0));
    } else if (
      this.stack.length > 0 ||
      this.isPassing ||
      this.keeping !== undefined ||
      this.inside === "string"
    ) {
      const since = this.keeping === undefined ? "" : `, in a value that begins on line ${this.keeping.line}`;
      throw new InputError(
        `ends in the middle, on line ${this.line}${since}. Perhaps the tool was stopped while it wrote.`,
      );
    }
  }

  /** Takes a byte that is outside of strings and of what is being cut. */
  private step(byte: number): void {
    const top = this.stack.at(-1);
    const { isList, last } = top ?? { isList: true, last: "comma" };
    if (byte === closeList || byte === closeObject) {
      const mayEnd = last === "value" || last === "bracket";
      if (!mayEnd || isList !== (byte === closeList)) throw this.wrong(byte);
      this.stack.pop();
    } else if (top !== undefined && byte === comma && last === "value") top.last = "comma";
    else if (top !== undefined && byte === colon && last === "key") top.last = "colon";
    else if (byte === quote && !isList && (last === "bracket" || last === "comma")) {
      this.keeping = { path: "", line: this.line, isKey: true };
      this.inside = "string";
    } else this.enter(top, byte);
  }

  /** Begins a value: cuts it, goes into it, or passes over it. */
  private enter(top: Container | undefined, byte: number): void {
    const mayBegin =
      top === undefined ||
      (top.isList ? top.last === "bracket" || top.last === "comma" : top.last === "colon");
    if (!mayBegin || byte === comma || byte === colon) throw this.wrong(byte);
    if (top !== undefined) top.last = "value";
    const path = top?.next ?? "$";
    this.onPath?.(path);
    const isLeading = this.prefixes.has(path);
    const isRest = this.isRest(path);
    if (this.wanted.has(path) || isRest) {
      this.keeping = { path, line: this.line, isKey: false };
    }
    if (byte === openList || byte === openObject) {
      this.isPassing = this.keeping === undefined && !isLeading && this.onPath === undefined;
      if (this.keeping !== undefined || this.isPassing) this.descend();
      else this.push(path, byte === openList);
      return;
    }
    if (isLeading && byte !== 0x6e && this.keeping === undefined) {
      throw new InputError(`line ${this.line}: ${path.slice(2) || "the file"} must be a list or an object.`);
    }
    this.inside = byte === quote ? "string" : "scalar";
  }

  /** Whether this is a field of the outermost object that no other wanted path names. */
  private isRest(path: string): boolean {
    const isField = this.stack.length === 1 && this.stack[0]?.isList === false;
    return isField && this.wanted.has("$.*") && !this.wanted.has(path) && !this.prefixes.has(path);
  }

  private push(path: string, isList: boolean): void {
    if (this.stack.length >= maxDepth) throw this.tooDeep();
    this.stack.push({ isList, path, next: `${path}[]`, last: "bracket", keys: new Set() });
  }

  private descend(): void {
    if (++this.depth > maxDepth) throw this.tooDeep();
  }

  private keep(bytes: Buffer): void {
    this.keptBytes += bytes.length;
    const { isKey, line } = this.keeping as { isKey: boolean; line: number };
    if (this.keptBytes > (isKey ? maxKeyBytes : maxValueBytes)) {
      const what = isKey ? "a key is longer than 1000 bytes" : "one value is larger than 32 MiB";
      throw new InputError(`line ${line}: ${what}.`);
    }
    // The chunk's memory may be used again by whoever reads.
    this.kept.push(Buffer.from(bytes));
  }

  private *finish(last: Buffer): Generator<Cut> {
    const { path, line, isKey } = this.keeping as { path: string; line: number; isKey: boolean };
    this.keep(last);
    const value = parseJson(Buffer.concat(this.kept), line);
    this.kept = [];
    this.keptBytes = 0;
    this.keeping = undefined;
    this.inside = "nothing";
    if (isKey) this.name(value as string);
    else yield { path, value, line };
  }

  /** Takes the key of the next value. */
  private name(key: string): void {
    const top = this.stack.at(-1) as Container;
    top.last = "key";
    top.next = `${top.path}.${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)}`;
    if (!this.prefixes.has(top.next) && !this.wanted.has(top.next)) return;
    if (top.keys.has(key)) throw new InputError(`line ${this.line}: ${key} stands twice in one object.`);
    top.keys.add(key);
  }

  private wrong(byte: number): InputError {
    const sign = JSON.stringify(String.fromCharCode(byte));
    return new InputError(`line ${this.line}: this is not JSON: ${sign} cannot stand there.`);
  }

  private tooDeep(): InputError {
    return new InputError(`line ${this.line}: the JSON is more than ${maxDepth} levels deep.`);
  }
}

/** The paths of the lists and objects that lead to a path. */
function prefixesOf(path: string): string[] {
  const ends = [...path.matchAll(/\.|\[\]/g)].map(({ index }) => index);
  return ends.map((end) => path.slice(0, end));
}
