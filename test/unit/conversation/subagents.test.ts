import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation } from '../../rooms/conversation';
import { assistant, prompt, transcript } from '../../support/transcriptBuilder';
import { CHAIN, withConversation } from './readView';

const AGENT = [{ type: 'tool_use', id: 'a', name: 'Agent', input: { prompt: 'Look', description: 'Look' } }];
const CALLED = transcript([prompt('p1', null), assistant('c1', 'p1', AGENT)]);

function withSubagents(use: (conversation: Conversation, folder: string) => Promise<void>): Promise<void> {
  return withConversation(CALLED, async (conversation, filePath) => {
    assert.equal(await conversation.refresh(), true);
    assert.equal(await subagentOf(conversation), null);
    assert.equal(await conversation.refresh(), false);
    await use(conversation, join(filePath.replace(/\.jsonl$/, ''), 'subagents'));
  });
}

async function subagentOf(conversation: Conversation): Promise<string | null> {
  const [item] = (await conversation.items(CHAIN, 1, 1)).items;
  assert.ok(item?.kind === 'row' && item.blocks[0]?.kind === 'tool');
  return item.blocks[0].subagent;
}

/** Checks until there is something to report, as a poll does. */
async function looksUntilNews(conversation: Conversation): Promise<number> {
  for (let looks = 1; looks <= 20; looks++) if (await conversation.refresh()) return looks;
  return 0;
}

describe('A working subagent', () => {
  it('is found when its transcript appears after its call was shown', () =>
    withSubagents(async (conversation, folder) => {
      const { revision } = await conversation.head();
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'agent-1.meta.json'), JSON.stringify({ toolUseId: 'a' }));
      writeFileSync(join(folder, 'agent-1.jsonl'), '');
      assert.equal(await looksUntilNews(conversation), 1);
      assert.ok((await conversation.head()).revision > revision, 'the revision counts up');
      assert.equal(await subagentOf(conversation), join(folder, 'agent-1.jsonl'));
      const page = await conversation.items(CHAIN, 0, 1);
      assert.equal(page.revision, (await conversation.head()).revision);
      assert.equal(await conversation.refresh(), false, 'it is told once');
    }));

  it('is found when its transcript appears after the file that names its call', () =>
    withSubagents(async (conversation, folder) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'agent-1.meta.json'), JSON.stringify({ toolUseId: 'a' }));
      await conversation.refresh();
      assert.equal(await subagentOf(conversation), null);
      writeFileSync(join(folder, 'agent-1.jsonl'), '');
      assert.notEqual(await looksUntilNews(conversation), 0);
      assert.equal(await subagentOf(conversation), join(folder, 'agent-1.jsonl'));
    }));

  it('is found when the file that names its call is written in pieces', () =>
    withSubagents(async (conversation, folder) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'agent-1.jsonl'), '');
      writeFileSync(join(folder, 'agent-1.meta.json'), '{"toolUse');
      await conversation.refresh();
      assert.equal(await subagentOf(conversation), null);
      // The folder stays the same; only the content of the file changes.
      writeFileSync(join(folder, 'agent-1.meta.json'), JSON.stringify({ toolUseId: 'a' }));
      assert.notEqual(await looksUntilNews(conversation), 0);
      assert.equal(await subagentOf(conversation), join(folder, 'agent-1.jsonl'));
    }));

  it('is no longer shown when its transcript was deleted', () =>
    withSubagents(async (conversation, folder) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'agent-1.meta.json'), JSON.stringify({ toolUseId: 'a' }));
      writeFileSync(join(folder, 'agent-1.jsonl'), '');
      await looksUntilNews(conversation);
      rmSync(folder, { recursive: true });
      assert.notEqual(await looksUntilNews(conversation), 0);
      assert.equal(await subagentOf(conversation), null);
    }));
});
