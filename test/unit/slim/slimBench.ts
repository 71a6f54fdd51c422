import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createEngine, type Engine, type EngineDeps } from '../../../src/core/engine';
import type { SlimOutcome, SlimResult } from '../../../src/protocol/slim';
import { quietMachine } from '../../support/quietMachine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { type RowFields, transcript } from '../../support/transcriptBuilder';

export const ID = '44444444-4444-4444-8444-444444444444';

/** A session in a config folder of its own. */
export interface Bench {
  readonly filePath: string;
  readonly engine: Engine;
}

export async function withSession(
  content: readonly RowFields[] | string | Buffer,
  use: (bench: Bench) => Promise<void>,
  deps: Partial<EngineDeps> = {},
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const filePath = join(folder, 'projects', '-p', `${ID}.jsonl`);
    await mkdir(dirname(filePath), { recursive: true });
    await writeFile(filePath, isRows(content) ? transcript(content) : content);
    await use({ filePath, engine: createEngine({ machine: quietMachine(), configDir: folder, ...deps }) });
  });
}

function isRows(content: readonly RowFields[] | string | Buffer): content is readonly RowFields[] {
  return Array.isArray(content);
}

export function assertDone({ result, problem }: SlimOutcome, status: SlimResult['status']): SlimResult {
  assert.deepEqual([result.status, result.reason, problem], [status, undefined, null]);
  return result;
}
