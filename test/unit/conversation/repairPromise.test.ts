import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { Conversations } from '../../rooms/conversation';
import { diagnosticsFor } from '../../rooms/diagnose';
import { sessionRefOf } from '../../rooms/format';
import { LiveTranscripts } from '../../rooms/transcript';
import { createPacer } from '../../rooms/util';
import { listCorruptCases } from '../../support/fixtures';
import { listPoisonCases } from '../../support/poisonCases';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { FakeClock } from '../sessions/fakes';
import { CHAIN } from './readView';
import { plainScanner } from '../../support/plainScanner';

interface Case {
  readonly name: string;
  readonly bytes: string | Buffer;
}

const SESSION_ID = '44444444-4444-4444-8444-444444444444';

function openConversations(configDir: string): Conversations {
  const shared = { createScanner: plainScanner, pacer: createPacer(10), clock: new FakeClock() };
  return new Conversations({
    ...shared,
    diagnostics: () => diagnosticsFor(),
    liveSessions: () => Promise.resolve(new Set()),
    onChange: () => undefined,
    transcripts: new LiveTranscripts({ ...shared, pollMs: () => 200, isClosing: () => false }),
    planRepair: ({ path }) => createEngine({ configDir }).planRepair(path),
    isClosing: () => false,
  });
}

/** Each case whose repair does not bring what its plan promises, with both. */
async function brokenPromises(cases: readonly Case[]): Promise<readonly string[]> {
  const broken: string[] = [];
  let repairs = 0;
  for (const { name, bytes } of cases) {
    await withTemporaryFolder(async (folder) => {
      const path = join(folder, `${SESSION_ID}.jsonl`);
      writeFileSync(path, bytes);
      const conversations = openConversations(folder);
      try {
        const { memory } = await conversations.planRepair(sessionRefOf(path));
        if (memory === null) return;
        const { problem } = await createEngine({ configDir: folder }).repair(path);
        const head = await conversations.openConversation(path, CHAIN);
        repairs++;
        const promised = JSON.stringify(memory.after);
        const kept = problem ?? JSON.stringify(head.memory);
        if (promised !== kept) broken.push(`${name}: ${promised}, but ${kept}`);
      } finally {
        conversations.close();
      }
    });
  }
  assert.ok(repairs > 10);
  return broken;
}

describe('What a repair promises is what Claude remembers after it', () => {
  it('where links are mended', async () => {
    assert.deepEqual(await brokenPromises(listCorruptCases()), []);
  });

  it('where contents are mended', async () => {
    assert.deepEqual(await brokenPromises(listPoisonCases().map(({ name, text }) => ({ name, bytes: text }))), []);
  });
});
