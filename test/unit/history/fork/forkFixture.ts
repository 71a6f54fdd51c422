import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fastGlob from 'fast-glob';
import { type Diagnostics, diagnosticsFor } from '../../../rooms/diagnose';
import { createForks } from '../../../rooms/history';
import { nodeWriteFs, type WriteFs } from '../../../rooms/storage';
import { createFileScanner } from '../../../rooms/transcript';
import { createPacer } from '../../../rooms/util';
import type { ForkOutcome, ForkRequest } from '../../../../src/protocol/history';
import { wasmScanners } from '../../../support/scannerModule';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { sessionRefOf } from '../../../rooms/format';

export const SOURCE_ID = '44444444-4444-4444-8444-444444444444';

/** A config folder with one transcript in it. */
export interface ForkFixture {
  readonly configDir: string;
  readonly filePath: string;
  readonly fork: (request?: Partial<ForkRequest>, fs?: WriteFs, diagnostics?: Diagnostics) => Promise<ForkOutcome>;
  /** Forks and returns the rows of the new transcript; fails when there is none. */
  forkedRows(request?: Partial<ForkRequest>): Promise<readonly Row[]>;
  /** Adds backups of files to the source's file history. */
  addBackups(contents: Readonly<Record<string, string>>): void;
}

export type Row = Readonly<Record<string, unknown>>;

export async function withForkFixture<T>(
  bytes: Uint8Array | string,
  use: (fixture: ForkFixture) => Promise<T>,
): Promise<T> {
  return withTemporaryFolder(async (configDir) => {
    const filePath = join(configDir, 'projects', '-home-user-project', `${SOURCE_ID}.jsonl`);
    mkdirSync(join(filePath, '..'), { recursive: true });
    writeFileSync(filePath, bytes);
    const fork: ForkFixture['fork'] = (request = {}, fs = quickFs, diagnostics = diagnosticsFor()) =>
      forksOn(configDir, fs, diagnostics).fork({
        session: sessionRefOf(filePath),
        at: null,
        isBefore: false,
        title: null,
        ...request,
      });
    return use({
      configDir,
      filePath,
      fork,
      forkedRows: async (request) => rowsOf(forkedPath(await fork(request))),
      addBackups(contents) {
        const folder = join(configDir, 'file-history', SOURCE_ID);
        mkdirSync(folder, { recursive: true });
        for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content);
      },
    });
  });
}

/** Does not sync, which only costs time here. */
const quickFs: WriteFs = {
  ...nodeWriteFs,
  open: async (path, mode) => ({ ...(await nodeWriteFs.open(path, mode)), sync: () => Promise.resolve() }),
};

const scanFile = createFileScanner(wasmScanners(), createPacer(10));

function forksOn(configDir: string, fs: WriteFs, diagnostics: Diagnostics) {
  const write = { fs, now: Date.now, random: randomUUID };
  return createForks({
    scanFile,
    capabilities: { fork: true },
    diagnostics,
    configDir: () => configDir,
    write,
    random: randomUUID,
  });
}

export function forkedPath(outcome: ForkOutcome): string {
  if (outcome.kind === 'refused') throw new Error(`Refused: ${outcome.reason}: ${outcome.problem}`);
  return outcome.result.filePath;
}

export function rowsOf(filePath: string): readonly Row[] {
  // SAFETY: these are rows of a transcript from this test.
  return readFileSync(filePath, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** Rows of the conversation. */
export function chainOf(rows: readonly Row[]): readonly Row[] {
  return rows.filter((row) => row['forkedFrom'] !== undefined);
}

/** Every file and folder under the folder, with its content, mode and time. */
export function snapshot(folder: string): readonly string[] {
  const names = fastGlob.sync('**', { cwd: folder, dot: true, onlyFiles: false });
  return names.sort().map((name) => {
    const path = join(folder, name);
    const stat = statSync(path, { bigint: true });
    if (stat.isDirectory()) return `${name}/ ${readdirSync(path).length}`;
    return `${relative(folder, path)} ${String(stat.mode)} ${String(stat.mtimeNs)} ${readFileSync(path, 'latin1')}`;
  });
}
