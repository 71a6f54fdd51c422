// What does the real client load of this transcript?   npx tsx test/resume/ask.ts FILE…
import { readFile } from 'node:fs/promises';
import { judge } from '../support/judge';
import { findClient } from '../support/findClient';
import { startMockApi } from '../support/mockApi';
import { resumeWithRealClient } from '../support/realClient';
import { blocksOf } from '../support/countedRows';

async function main(files: readonly string[]): Promise<void> {
  const client = findClient();
  const api = await startMockApi();
  try {
    for (const file of files) {
      const run = await resumeWithRealClient(file, { client, api });
      const { messages, exitCode, timedOut, stderr, attachedTo } = run;
      const answer = {
        file,
        ...judge(await readFile(file), messages),
        ...{ exitCode, timedOut, stderr, attachedTo },
        roles: messages?.map(({ role }) => role[0]).join('') ?? null,
        blocks: messages?.map(({ role, content }) => `${role}: ${blocksOf(content).map(describeBlock).join(' | ')}`),
      };
      console.log(JSON.stringify(answer, null, 2));
    }
  } finally {
    await api.close();
  }
}

function describeBlock(block: ReturnType<typeof blocksOf>[number]): string {
  if (block.type === 'text') return JSON.stringify(String(block.text).slice(0, 70));
  return `${String(block.type)} ${String(block.id ?? block.tool_use_id)}`.trim();
}

void main(process.argv.slice(2));
