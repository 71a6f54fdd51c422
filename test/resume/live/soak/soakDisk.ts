import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { encodeProjectPath } from '../../../rooms/format';
import { thisMachine } from '../../../rooms/providers';
import type { Random } from '../../../support/random';

/** No more and no fewer transcripts than these, where there is a choice. */
const MIN_TRANSCRIPTS = 16;
const MAX_TRANSCRIPTS = 30;
const MAX_CLIENTS = 5;
/** Transcripts are cut before they get so long, in bytes. */
const MAX_BYTES = 20_000;
/** A transcript that was copied or restored may be older than what it replaces. In seconds. */
const OLDER_SECONDS = 900;

interface Client {
  readonly process: ChildProcess;
  readonly record: string;
  readonly path: string;
  status: 'busy' | 'idle' | 'waiting';
  readonly startedMs: number;
}

/**
 * The config folder of a person who does everything at once: transcripts grow by whole rows and by halves, are cut, replaced,
 * deleted, made again, moved and copied, and clients come and go. Each call of `change` makes one change; nothing changes between
 * two calls. What a running client writes is written as a client does it: whole rows at the end, and its record says what it does.
 */
export class SoakDisk {
  /** How often each kind of change was made. */
  readonly counts = new Map<string, number>();
  readonly #projects: string;
  /** Working folders of the projects; the first ones belong to the window. */
  readonly #folders: readonly [string, ...string[]];
  readonly #paths = new Set<string>();
  /** Halves of rows at the end of transcripts, with what is missing of them. */
  readonly #torn = new Map<string, string>();
  /** What was deleted or replaced, to be restored. */
  readonly #kept: { readonly path: string; readonly bytes: Buffer }[] = [];
  readonly #clients = new Set<Client>();
  #made = 0;

  /** @param now  milliseconds since the epoch, in the time of the worker */
  constructor(
    private readonly configDir: string,
    folders: readonly [string, ...string[]],
    private readonly random: Random,
    private readonly now: () => number,
  ) {
    this.#projects = join(configDir, 'projects');
    this.#folders = folders;
    mkdirSync(join(configDir, 'sessions'), { recursive: true });
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    while (this.#paths.size < MIN_TRANSCRIPTS) this.#create();
  }

  /** All transcripts that are there. */
  get paths(): readonly string[] {
    return [...this.#paths].sort();
  }

  change(): void {
    const few = this.#paths.size < MIN_TRANSCRIPTS;
    const many = this.#paths.size > MAX_TRANSCRIPTS;
    const weights = {
      ...{ append: 30, appendToSeveral: 5, appendHalf: 8, appendBroken: 5, appendToSubagent: 5 },
      ...{ truncate: 10, replace: 10, move: 5, takeTurn: 8, endClient: 2 },
      ...{ delete: few ? 0 : 6, restore: many ? 0 : 4, create: many ? 0 : few ? 20 : 6, copy: many ? 0 : 4 },
      startClient: this.#clients.size < MAX_CLIENTS ? 5 : 0,
    };
    const kinds = Object.entries(weights);
    let at = this.random.below(kinds.reduce((sum, [, weight]) => sum + weight, 0));
    const [kind = 'append'] = kinds.find(([, weight]) => (at -= weight) < 0) ?? [];
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    this.#make(kind);
  }

  #make(kind: string): void {
    switch (kind) {
      case 'appendToSeveral':
        for (let times = 2 + this.random.below(6); times > 0; times--) this.#append(this.#any());
        break;
      case 'appendHalf':
        this.#appendHalf(this.#idle());
        break;
      case 'appendBroken':
        this.#appendBroken(this.#idle());
        break;
      case 'appendToSubagent':
        this.#appendToSubagent(this.#any());
        break;
      case 'truncate':
        this.#truncate(this.#idle());
        break;
      case 'replace':
        this.#replace(this.#idle());
        break;
      case 'move':
        this.#move(this.#idle());
        break;
      case 'takeTurn':
        this.#takeTurn();
        break;
      case 'endClient':
        this.#endClient();
        break;
      case 'delete':
        this.#delete(this.#idle());
        break;
      case 'restore':
        this.#restore();
        break;
      case 'create':
        this.#create();
        break;
      case 'copy':
        this.#copy(this.#any());
        break;
      case 'startClient':
        this.#startClient();
        break;
      default:
        this.#append(this.#any());
    }
  }

  stop(): void {
    for (const { process: child } of this.#clients) child.kill('SIGKILL');
  }

  #any(): string {
    return this.#pick(this.paths);
  }

  /** One that no client runs: what is done to it would raise an alarm, and rightly. */
  #idle(): string {
    const ids = new Set([...this.#clients].map(({ path }) => basename(path)));
    return this.#pick(this.paths.filter((path) => !ids.has(basename(path))));
  }

  #pick(from: readonly string[]): string {
    const [first, ...others] = from;
    if (first === undefined) throw new Error('Failed to choose a transcript: there is none');
    return this.random.pick([first, ...others]);
  }

  #uuid(): string {
    const hex = (length: number): string => Array.from({ length }, () => this.random.below(16).toString(16)).join('');
    return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  }

  #placeOf(folder: string, id: string): string {
    const project = join(this.#projects, encodeProjectPath(folder));
    mkdirSync(project, { recursive: true });
    return join(project, `${id}.jsonl`);
  }

  #folderOf(path: string): string {
    const name = basename(dirname(path));
    return this.#folders.find((folder) => encodeProjectPath(folder) === name) ?? this.#folders[0];
  }

  #create(): void {
    const path = this.#placeOf(this.random.pick(this.#folders), this.#uuid());
    writeFileSync(path, this.#rows(path, null, 2 + this.random.below(6)));
    this.#paths.add(path);
  }

  /** Rows that continue after `parent`, as one text. */
  #rows(path: string, parent: string | null, count: number): string {
    const texts: string[] = [];
    let before = parent;
    for (let at = 0; at < count; at++) {
      const uuid = this.#uuid();
      texts.push(`${JSON.stringify(this.#row(path, uuid, before))}\n`);
      before = uuid;
    }
    return texts.join('');
  }

  #row(path: string, uuid: string, parentUuid: string | null): object {
    const { random } = this;
    const number = ++this.#made;
    const common = {
      ...{ parentUuid, isSidechain: false, uuid, sessionId: basename(path, '.jsonl'), cwd: this.#folderOf(path) },
      ...{ version: '2.1.330', gitBranch: 'main', timestamp: new Date(this.now()).toISOString() },
    };
    if (parentUuid === null || random.chance(0.4))
      return { ...common, type: 'user', message: { role: 'user', content: `prompt ${number}` } };
    const status = random.pick(['pending', 'in_progress', 'completed']);
    const todos = [1, 2, 3].map((each) => ({ content: `Step ${each} of ${number}`, status, activeForm: 'Stepping' }));
    const content = random.chance(0.25)
      ? { type: 'tool_use', id: `toolu_${number}`, name: 'TodoWrite', input: { todos } }
      : { type: 'text', text: `reply ${number} ${'and so on '.repeat(random.below(8))}` };
    const usage = {
      ...{ input_tokens: 1 + random.below(900), output_tokens: 1 + random.below(900) },
      ...{ cache_read_input_tokens: random.below(9000), cache_creation_input_tokens: random.below(900) },
    };
    const model = random.pick(['claude-opus-4-5', 'claude-sonnet-4-5']);
    const message = {
      id: `msg_${number}`,
      role: 'assistant',
      model,
      content: [content],
      stop_reason: 'end_turn',
      usage,
    };
    return { ...common, type: 'assistant', requestId: `req_${number}`, message };
  }

  /** The uuid of the last row of the conversation that can be read; null if there is none. */
  #lastOf(path: string): string | null {
    const found = [...readFileSync(path, 'utf8').matchAll(/"uuid":"([0-9a-f-]{36})"/gu)].at(-1);
    return found?.[1] ?? null;
  }

  #append(path: string): void {
    const rest = this.#torn.get(path) ?? '';
    this.#torn.delete(path);
    const bytes = readFileSync(path);
    if (bytes.length > MAX_BYTES && ![...this.#clients].some((client) => client.path === path)) this.#truncate(path);
    appendFileSync(path, rest + this.#rows(path, this.#lastOf(path), 1 + this.random.below(5)));
  }

  #appendHalf(path: string): void {
    if (this.#torn.has(path)) {
      this.#append(path);
      return;
    }
    const row = this.#rows(path, this.#lastOf(path), 1);
    const half = 1 + this.random.below(row.length - 1);
    appendFileSync(path, row.slice(0, half));
    this.#torn.set(path, row.slice(half));
  }

  /** Its parent is missing, so Claude would forget what is before it. */
  #appendBroken(path: string): void {
    this.#torn.delete(path);
    const bytes = readFileSync(path, 'utf8');
    const row = this.#rows(path, this.#uuid(), 1);
    appendFileSync(path, bytes === '' || bytes.endsWith('\n') ? row : `\n${row}`);
  }

  #appendToSubagent(path: string): void {
    const folder = join(path.slice(0, -'.jsonl'.length), 'subagents');
    mkdirSync(folder, { recursive: true });
    const agent = join(folder, `agent-a${this.random.below(2)}.jsonl`);
    const parent = existsSync(agent) ? this.#lastOf(agent) : null;
    const rows = this.#rows(path, parent, 2).replaceAll('"isSidechain":false', '"isSidechain":true');
    appendFileSync(agent, rows);
  }

  #truncate(path: string): void {
    this.#torn.delete(path);
    const bytes = readFileSync(path);
    const rowEnd = bytes.indexOf('\n', this.random.below(Math.max(1, bytes.length))) + 1;
    truncateSync(path, this.random.pick([rowEnd, this.random.below(bytes.length + 1), 0]));
  }

  #replace(path: string): void {
    this.#torn.delete(path);
    const before = readFileSync(path);
    this.#keep(path, before);
    const sameSize = Buffer.from(
      before
        .toString('utf8')
        .replace(/(prompt|reply) (\d)/u, (_, word: string, digit: string) => `${word} ${(Number(digit) + 1) % 10}`),
      'utf8',
    );
    const text = this.random.pick([sameSize, Buffer.from(this.#rows(path, null, 1 + this.random.below(8)))]);
    if (this.random.chance(0.3)) {
      writeFileSync(path, text);
    } else {
      writeFileSync(`${path}.tmp`, text);
      renameSync(`${path}.tmp`, path);
    }
    if (this.random.chance(0.5)) this.#makeOlder(path);
  }

  #makeOlder(path: string): void {
    const seconds = Date.now() / 1000 - this.random.below(OLDER_SECONDS);
    utimesSync(path, seconds, seconds);
  }

  #keep(path: string, bytes: Buffer): void {
    this.#kept.push({ path, bytes });
    if (this.#kept.length > 30) this.#kept.shift();
  }

  #delete(path: string): void {
    this.#keep(path, readFileSync(path));
    unlinkSync(path);
    rmSync(path.slice(0, -'.jsonl'.length), { recursive: true, force: true });
    this.#paths.delete(path);
    this.#torn.delete(path);
  }

  /** From a backup of the person. */
  #restore(): void {
    const found = this.#kept.findIndex(({ path }) => !existsSync(path));
    const [kept] = found < 0 ? [] : this.#kept.splice(found, 1);
    if (kept === undefined) {
      this.#create();
      return;
    }
    mkdirSync(dirname(kept.path), { recursive: true });
    writeFileSync(kept.path, kept.bytes);
    if (this.random.chance(0.5)) this.#makeOlder(kept.path);
    this.#paths.add(kept.path);
  }

  #move(path: string): void {
    const target = this.#placeOf(this.random.pick(this.#folders), basename(path, '.jsonl'));
    if (existsSync(target)) return;
    renameSync(path, target);
    const [folder, targetFolder] = [path, target].map((each) => each.slice(0, -'.jsonl'.length)) as [string, string];
    if (existsSync(folder) && !existsSync(targetFolder)) renameSync(folder, targetFolder);
    this.#paths.delete(path);
    this.#paths.add(target);
    const rest = this.#torn.get(path);
    this.#torn.delete(path);
    if (rest !== undefined) this.#torn.set(target, rest);
    // A project whose last transcript has gone may be deleted, too.
    if (this.random.chance(0.5) && !this.paths.some((each) => dirname(each) === dirname(path)))
      rmSync(dirname(path), { recursive: true, force: true });
  }

  /** Under its own name in another project, or under another name. */
  #copy(path: string): void {
    const id = this.random.chance(0.5) ? basename(path, '.jsonl') : this.#uuid();
    const target = this.#placeOf(this.random.pick(this.#folders), id);
    if (existsSync(target)) return;
    copyFileSync(path, target);
    if (this.random.chance(0.5)) this.#makeOlder(target);
    this.#paths.add(target);
  }

  #startClient(): void {
    const ids = this.paths.map((path) => basename(path));
    const path = this.random.chance(0.5) ? this.#placeOf(this.random.pick(this.#folders), this.#uuid()) : this.#idle();
    // A client finds a session by its id, wherever it is.
    if (ids.filter((id) => id === basename(path)).length > 1 || this.#torn.has(path)) return;
    const child = spawn('sleep', ['3600'], { stdio: 'ignore' });
    const record = join(this.configDir, 'sessions', `${child.pid ?? 0}.json`);
    const client: Client = { process: child, record, path, status: 'idle', startedMs: this.now() };
    this.#clients.add(client);
    this.#writeRecord(client);
  }

  #writeRecord({ process: { pid }, record, path, status, startedMs }: Client): void {
    const stat = readFileSync(`/proc/${pid ?? 0}/stat`, 'utf8');
    const nowMs = this.now();
    const text = JSON.stringify({
      ...{ pid, sessionId: basename(path, '.jsonl'), cwd: this.#folderOf(path), startedAt: startedMs },
      ...{ procStart: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19], version: '2.1.330', kind: 'interactive' },
      ...{ entrypoint: 'cli', pidDomain: thisMachine().pidDomain, status, updatedAt: nowMs, statusUpdatedAt: nowMs },
      ...(status === 'waiting' && { waitingFor: 'permission prompt' }),
    });
    writeFileSync(record, text);
  }

  /** A prompt is written as soon as the client is busy, and the reply before it is idle. */
  #takeTurn(): void {
    const [first, ...others] = this.#clients;
    if (first === undefined) return;
    const client = this.random.pick([first, ...others]);
    const write = (): void => {
      if (this.#paths.has(client.path)) this.#append(client.path);
      else writeFileSync(client.path, this.#rows(client.path, null, 2));
      this.#paths.add(client.path);
    };
    if (client.status === 'busy') write();
    client.status = client.status === 'busy' ? this.random.pick(['idle', 'waiting']) : 'busy';
    this.#writeRecord(client);
    if (client.status === 'busy') write();
  }

  /** Its record stays if it is killed. */
  #endClient(): void {
    const [first, ...others] = this.#clients;
    if (first === undefined) return;
    const client = this.random.pick([first, ...others]);
    this.#clients.delete(client);
    client.process.kill('SIGKILL');
    if (this.random.chance(0.7)) unlinkSync(client.record);
  }
}
