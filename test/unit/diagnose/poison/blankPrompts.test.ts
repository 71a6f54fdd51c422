import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../../src/core/engine';
import { reply, say, Session } from '../../../poison/costlyRows';
import { contentFindings } from '../../../support/contentFindings';
import { quietMachine } from '../../../support/quietMachine';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

type Content = string | readonly object[];

const user = (content: Content) => ({ type: 'user' as const, content });
const thinking = { type: 'thinking', thinking: 'hm', signature: 'mocksigaG0=' };

/** The severities of the findings about empty texts and prompts once these messages follow a healthy history. */
function severities(...messages: readonly Parameters<Session['insert']>[1][number][]): Promise<readonly string[]> {
  const session = new Session();
  session.insert(session.rows.length - 1, messages);
  return severitiesOf(session);
}

function severitiesOf(session: Session): Promise<readonly string[]> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    await writeFile(filePath, session.text());
    const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
    const { result } = await engine.scan(filePath, { isThorough: true });
    return contentFindings(result).flatMap(({ code, severity }) => (code.startsWith('empty-') ? [severity] : []));
  });
}

describe('A blank prompt', () => {
  for (const blank of ['', ' \n']) {
    const shown = JSON.stringify(blank);

    it(`is refused if it is a message of its own: ${shown}`, async () => {
      assert.deepEqual(await severities(user(blank), reply('Seen.')), ['error']);
      assert.deepEqual(await severities(user(blank)), ['error']);
    });

    for (const [role, severity] of [
      ['user', 'info'],
      ['system', 'error'],
    ] as const) {
      it(`is healed only by an attachment that Claude sends as a text of the user: ${shown}, ${role}`, async () => {
        const session = new Session();
        session.insert(session.rows.length - 1, [user(blank), reply('Seen.')]);
        const [prompt, answer] = session.rows.slice(-2);
        assert.ok(prompt !== undefined && answer !== undefined);
        const uuid = 'dddddddd-0000-4000-8000-000000000001';
        const rendered = { attachment: { type: 'date' }, rendered: [{ content: 'a reminder' }], renderedRole: role };
        const attachment = { ...prompt, ...rendered, type: 'attachment', uuid, parentUuid: prompt.uuid };
        delete attachment.message;
        answer.parentUuid = uuid;
        session.rows.splice(-1, 0, attachment);
        assert.deepEqual(await severitiesOf(session), [severity]);
      });
    }

    it(`is joined with the next one if the reply between them is left out with its call: ${shown}`, async () => {
      const call = { type: 'tool_use', id: 'toolu_open', name: 'Bash', input: {} };
      const answer = { ...reply('Let me look.'), content: [{ type: 'text', text: 'Let me look.' }, call] };
      assert.deepEqual(await severities(user(blank), answer, user('And now?'), reply('Seen.')), ['info']);
    });

    it(`is refused behind a message that Claude does not load: ${shown}`, async () => {
      const [first] = await severities(user([]), user(blank), reply('Seen.'));
      assert.equal(first, 'error');
    });

    for (const [what, messages] of [
      ['before another prompt', [user(blank), user('hello')]],
      ['behind another prompt', [user('hello'), user(blank)]],
      ['before a list of blocks', [user(blank), user([say('hello')])]],
      ['behind a list of blocks', [user([say('hello')]), user(blank)]],
      ['beside another blank one', [user(blank), user(blank)]],
      ['beside a message with an empty text', [user(blank), user([say('')])]],
      [
        'beside a prompt once thinking alone between them is left out',
        [user(blank), { type: 'assistant' as const, content: [thinking] }, user('hello')],
      ],
    ] as const) {
      it(`is left out by Claude where it becomes one message with others: ${shown} ${what}`, async () => {
        const found = await severities(...messages, reply('Seen.'));
        assert.ok(found.length > 0 && found.every((severity) => severity === 'info'), found.join());
      });
    }
  }
});
