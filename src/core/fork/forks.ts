import { basename, dirname, join, resolve } from 'node:path';
import type { ForkApi } from '../../shared/api/fork';
import type { ForkOutcome, ForkRequest } from '../../shared/fork';
import { chooseTitle } from '../catalog/chooseTitle';
import { fileProblem } from '../scan/fileProblem';
import { NO_ID } from '../scan/idTable';
import { RowIndex } from '../scan/rowIndex';
import type { FileScan, FileScanner } from '../scan/scanFile';
import { clearStaleForks } from '../write/clearStaleForks';
import { createTranscript, type Created } from '../write/createTranscript';
import { fileIdentity, isSameFile } from '../write/fileIdentity';
import { closeQuietly } from '../write/leftovers';
import { openToRead, type WriteDeps } from '../write/openTranscript';
import { Refusal } from '../write/refusal';
import type { ReadableFile } from '../write/writeFs';
import { carriedRows } from './carriedRows';
import { cutHistory, type CutHistory } from './cutHistory';
import { forkPlan, type ForkShape } from './forkPlan';
import { forkRefusal } from './forkRefusal';
import { forkTitle } from './forkTitle';
import { proveFork, type ProvenFork } from './proveFork';
import { writeRows } from './writeRows';

export interface ForkParts {
  readonly scanFile: FileScanner;
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: () => string;
  readonly write: WriteDeps;
  /** A fresh uuid. */
  readonly random: () => string;
}

/** The order in which shapes of a fork are tried: the second holds where links cannot say what Claude loads. */
const SHAPES: readonly ForkShape[] = ['linked', 'linear'];

/** Cuts new sessions from transcripts. */
export function createForks(parts: ForkParts): ForkApi {
  return { fork: (request) => fork({ ...request, filePath: resolve(request.filePath) }, parts) };
}

async function fork(request: ForkRequest, parts: ForkParts): Promise<ForkOutcome> {
  const { filePath } = request;
  let scan: FileScan;
  try {
    scan = await parts.scanFile(filePath, { withHashes: false });
  } catch (error) {
    const { kind, message } = fileProblem(error, filePath);
    return forkRefusal(kind === 'missing' ? 'missing' : 'unreadable', message);
  }
  const cut = cutHistory(scan.facts, request);
  if (cut.kind === 'refused') return cut;
  try {
    const file = await openToRead(filePath, 'The transcript', parts.write.fs);
    try {
      if (!isSameFile(fileIdentity(await file.stat()), scan.identity)) {
        throw new Refusal('unreadable', 'The transcript was replaced while it was read. Try again.');
      }
      return await forkFrom(file, cut, request, parts);
    } finally {
      await closeQuietly(file);
    }
  } catch (error) {
    // Whatever is written has its failures told by the room that writes.
    if (!(error instanceof Refusal)) return forkRefusal('unreadable', fileProblem(error, filePath).message);
    return forkRefusal(error.code === 'missing' ? 'missing' : 'unreadable', error.message);
  }
}

async function forkFrom(
  file: ReadableFile,
  cut: CutHistory,
  request: ForkRequest,
  parts: ForkParts,
): Promise<ForkOutcome> {
  const parentSessionId = basename(request.filePath, '.jsonl');
  const source = { file, size: cut.facts.fileSize, sessionId: parentSessionId };
  const carried = await carriedRows(source, rowsByUuid(cut));
  const title = forkTitle(request.title, chooseTitle(cut.facts.titles));
  const sessionId = parts.random();
  const filePath = join(dirname(request.filePath), `${sessionId}.jsonl`);
  const histories = join(configDirOf(request.filePath, parts), 'file-history');
  const backups = { from: join(histories, parentSessionId), to: join(histories, sessionId), names: carried.backups };
  await clearStaleForks(dirname(filePath), histories, parts.write);
  for (const shape of SHAPES) {
    const plan = forkPlan(cut, shape, parts.random);
    const proof: { proven: ProvenFork | null } = { proven: null };
    const outcome = await createTranscript(
      {
        filePath,
        backups,
        write: (put) => writeRows(put, { file, plan, carried, sessionId, parentSessionId, title }),
        verify: async (path) => {
          proof.proven = proveFork((await parts.scanFile(path)).facts, plan);
          return proof.proven !== null;
        },
      },
      parts.write,
    );
    if (outcome.kind === 'refused') return outcome;
    if (outcome.kind === 'unproven' || proof.proven === null) continue;
    const { loads, of, cwd } = proof.proven;
    return {
      kind: 'forked',
      result: { sessionId, filePath, parentSessionId, rowsCopied: plan.length },
      title,
      cwd: cwd ?? cut.facts.latest.cwd,
      loads,
      of,
      warning: warningOf(cut, outcome),
    };
  }
  return forkRefusal('not-forkable', 'Claude would not load from a fork what was cut here, so none was made.');
}

/** Says whether a uuid is that of a row of the fork. */
function rowsByUuid({ facts, ordered }: CutHistory): (uuid: string) => boolean {
  const { ids, rows } = facts;
  const forked = new RowIndex(facts);
  for (const row of ordered) forked.set(rows.uuid(row), row);
  return (uuid) => ids.has(uuid) && forked.get(ids.intern(uuid)) !== NO_ID;
}

function warningOf({ isBroken }: CutHistory, { missingBackups }: Created): string | null {
  const said: string[] = [];
  if (isBroken)
    said.push('Its history begins where that of the session is broken; repair the session first to have all of it.');
  const { length } = missingBackups;
  if (length === 1) said.push('A backup of a file is missing, so that file cannot be rewound in it.');
  if (length > 1) said.push(`${length} backups of files are missing, so those files cannot be rewound in it.`);
  return said.length === 0 ? null : said.join(' ');
}

/** A transcript of another config folder than ours has its file history there. */
function configDirOf(filePath: string, { configDir }: ForkParts): string {
  const projects = dirname(dirname(filePath));
  return basename(projects) === 'projects' ? dirname(projects) : configDir();
}
