import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChance } from './corpus/chance';
import { drawSizes } from './corpus/drawSizes';
import { createTexts } from './corpus/texts';
import { writeSession } from './corpus/writeSession';
import { writeTinyRows } from './corpus/writeTinyRows';

/** The parameters of a corpus. Equal plans give equal bytes. */
export interface CorpusPlan {
  readonly files: number;
  readonly bytes: number;
  readonly seed: number;
  /** Folders under `projects`. */
  readonly folders: number;
  /** Number of names under which each session is linked; 1 unless bytes on disk are to be saved. */
  readonly links: number;
  /** Rows as in people's sessions, or the smallest possible ones. */
  readonly rows: 'real' | 'tiny';
}

export interface Corpus {
  /** A Claude Code config folder. */
  readonly configDir: string;
  /** Absolute paths of the transcripts. */
  readonly files: readonly string[];
  readonly bytes: number;
  readonly rows: number;
}

const MANIFEST = 'corpus.json';
/** The last step of a session may exceed its size. */
const ROOM_FACTOR = 1.2;
const FOLDER = join(tmpdir(), 'rethread-bench');

/** Creates the corpus in the temporary folder, or reuses one that the same code created from the same plan. */
export function prepareCorpus(plan: CorpusPlan): Corpus {
  const name = nameOf(plan);
  const folderName = `${name}-${codeFingerprint()}`;
  const configDir = join(FOLDER, folderName);
  if (!existsSync(join(configDir, MANIFEST))) {
    removeOutdated(`${name}-`, folderName);
    assertRoom((plan.bytes / plan.links) * ROOM_FACTOR);
    make(plan, configDir);
  }
  // SAFETY: written by `make`, by the same code.
  const { files, bytes, rows } = JSON.parse(readFileSync(join(configDir, MANIFEST), 'utf8')) as Corpus;
  return { configDir, bytes, rows, files: files.map((file) => join(configDir, file)) };
}

function nameOf({ files, bytes, folders, links, rows, seed }: CorpusPlan): string {
  return `${files}-files-${Math.round(bytes / 1e6)}-mb-${folders}-folders-${links}-links-${rows}-rows-seed-${seed}`;
}

/** A corpus that other code created from the same plan is useless, and large. */
function removeOutdated(prefix: string, current: string): void {
  mkdirSync(FOLDER, { recursive: true });
  for (const entry of readdirSync(FOLDER)) {
    const isOutdated = entry.startsWith(prefix) && !entry.startsWith(current);
    if (isOutdated) rmSync(join(FOLDER, entry), { recursive: true, force: true });
  }
}

function assertRoom(bytes: number): void {
  const { bavail, bsize } = statfsSync(FOLDER);
  if (bavail * bsize >= bytes) return;
  const [needed, free] = [bytes, bavail * bsize].map((each) => Math.ceil(each / 1e6));
  throw new Error(`Failed to make a corpus: ${needed} MB are needed in ${FOLDER}, ${free} MB are free`);
}

function make(plan: CorpusPlan, configDir: string): void {
  const unfinished = `${configDir}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  const chance = createChance(plan.seed);
  const texts = createTexts(chance);
  const distinct = Math.ceil(plan.files / plan.links);
  const sizes = drawSizes(chance, distinct, (plan.bytes * distinct) / plan.files);
  const files: string[] = [];
  let bytes = 0;
  let rows = 0;
  const folderOf = (file: number): string => {
    const folder = join('projects', `-home-dev-project-${file % plan.folders}`);
    mkdirSync(join(unfinished, folder), { recursive: true });
    return folder;
  };
  const written: { path: string; bytes: number; rows: number }[] = [];
  for (const targetBytes of sizes) {
    const sessionId = chance.uuid();
    const path = join(folderOf(files.length), `${sessionId}.jsonl`);
    const content = { chance, texts, sessionId, targetBytes };
    const write = plan.rows === 'real' ? writeSession : writeTinyRows;
    const session = write(join(unfinished, path), content);
    written.push({ path, ...session });
    files.push(path);
  }
  for (let at = 0; files.length < plan.files; at++) {
    const path = join(folderOf(files.length), `${chance.uuid()}.jsonl`);
    linkSync(join(unfinished, written[at % distinct]!.path), join(unfinished, path));
    files.push(path);
  }
  files.forEach((_, at) => {
    bytes += written[at % distinct]!.bytes;
    rows += written[at % distinct]!.rows;
  });
  writeFileSync(join(unfinished, MANIFEST), JSON.stringify({ files, bytes, rows }));
  rmSync(configDir, { recursive: true, force: true });
  renameSync(unfinished, configDir);
}

function codeFingerprint(): string {
  const folder = join(__dirname, 'corpus');
  const hash = createHash('sha256').update(readFileSync(__filename));
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 12);
}
