import type { Random } from '../../support/random';

/**
 * The changes to the files in one turn, in order. Paths are relative to the root; those under `project/` are the
 * session's.
 */
export type FileOperation =
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  /** By a command, which the client does not track. */
  | { readonly kind: 'shellWrite'; readonly path: string; readonly content: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'chmod'; readonly path: string; readonly mode: number };

const NAMES = [
  'project/a.txt',
  'project/b.md',
  'project/src/main.ts',
  'project/src/deep/er/x.json',
  'project/with space.txt',
  'project/ümläut-é.txt',
  'project/.hidden',
  'project/__proto__',
  'project/bin/run.sh',
  'project2/beside.txt',
  'outside.txt',
] as const;
const MODES = [0o644, 0o600, 0o755, 0o640, 0o700] as const;

/** Draws valid turns: only existing files are edited. */
export class TurnDrawer {
  /** The files that exist so far. */
  readonly files = new Map<string, string>();
  #number = 0;

  constructor(private readonly random: Random) {}

  /** Zero to four operations. */
  draw(): FileOperation[] {
    return Array.from({ length: this.random.below(5) }, () => this.#operation());
  }

  #operation(): FileOperation {
    const { random, files } = this;
    const known = [...files.keys()];
    const path =
      known.length === 0 || random.chance(0.3) ? random.pick(NAMES) : (known[random.below(known.length)] ?? '');
    const content = files.get(path);
    if (content === undefined) {
      const fresh = this.#text();
      files.set(path, fresh);
      return { kind: random.chance(0.8) ? 'write' : 'shellWrite', path, content: fresh };
    }
    switch (random.below(8)) {
      case 0:
      case 1:
        files.delete(path);
        return { kind: 'remove', path };
      case 2: {
        const to = random.pick(NAMES);
        if (to === path) break;
        files.delete(path);
        files.set(to, content);
        return { kind: 'rename', path, to };
      }
      case 3:
        return { kind: 'chmod', path, mode: random.pick(MODES) };
      case 4: {
        const changed = this.#text();
        files.set(path, changed);
        return { kind: 'shellWrite', path, content: changed };
      }
      case 5: {
        const changed = this.#text();
        files.set(path, changed);
        return { kind: 'write', path, content: changed };
      }
      default:
    }
    const from = content.split('\n')[0] ?? '';
    const to = `edited ${++this.#number}`;
    if (from === '') return { kind: 'chmod', path, mode: random.pick(MODES) };
    files.set(
      path,
      content.replace(from, () => to),
    );
    return { kind: 'edit', path, from, to };
  }

  #text(): string {
    const { random } = this;
    if (random.chance(0.05)) return '';
    const line = (): string =>
      random.pick(['alpha', 'beta', 'gamma', `line ${++this.#number}`, 'ß → ✓', '\tindented', '']);
    const lines = Array.from({ length: 1 + random.below(random.chance(0.1) ? 200 : 8) }, line);
    return `line ${++this.#number}\n${lines.join(random.chance(0.1) ? '\r\n' : '\n')}${random.chance(0.8) ? '\n' : ''}`;
  }
}
