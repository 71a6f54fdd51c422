import { gate } from '../liveSession';
import { type LiveShapes, onePixel, shape } from './shape';

/** Commands, mentions, and prompts in the middle of a turn. */
export const COMMAND_SHAPES: LiveShapes = {
  'commands that Claude does not see': shape(['"local_command"'], async (live) => {
    const client = live.start();
    await client.prompt();
    await client.raw('/context');
    await client.raw('/usage');
    await client.prompt();
    await client.close();
  }),
  'a command before the first prompt': shape(['"local_command"'], async (live) => {
    const client = live.start();
    await client.raw('/context');
    await client.prompt();
    await client.close();
  }),
  'a command at the end': shape(['"local_command"'], async (live) => {
    const client = live.start();
    await client.prompt();
    await client.raw('/context');
    await client.close();
  }),
  '/clear': shape(
    ['<command-name>/clear'],
    async (live) => {
      const client = live.start();
      await client.prompt();
      await client.raw('/clear');
      await client.prompt();
      await client.close();
    },
    2,
  ),
  "a project's own command, and an unknown one": shape(
    ['<command-name>/own', '"unknown_command_fallback"'],
    async (live) => {
      await live.write('.claude/commands/own.md', `${live.numbered('Do')} $ARGUMENTS\n`);
      const client = live.start();
      await client.raw('/own words');
      await client.raw('/unknown-command words');
      await client.prompt();
      await client.close();
    },
  ),
  'files that a prompt mentions': shape(['"type":"file"', '"type":"directory"'], async (live) => {
    await live.write('a.txt', live.numbered('The file'));
    await live.write('folder/b.txt', live.numbered('Another file'));
    await live.write('c.png', onePixel(5));
    const client = live.start();
    await client.prompt('Read @a.txt and @folder/ and @missing.txt and @c.png');
    await client.prompt();
    await client.close();
  }),
  'a file that changes between two prompts': shape(['"name":"Read"'], async (live) => {
    const { model } = live;
    const path = await live.write('a.txt', `${live.numbered('The file')}\n`);
    const client = live.start();
    model.script([model.call('Read', { file_path: path })]);
    await client.prompt();
    await live.write('a.txt', `${live.numbered('Changed')}\n`);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'prompts that wait for the reply': shape(['A second prompt\\n'], async (live) => {
    const { model } = live;
    const client = live.start();
    const held = gate();
    model.script({ content: [model.say(), model.say()], until: held.opened });
    const first = client.result();
    client.post();
    await client.replied();
    client.post('A second prompt');
    client.post('A third prompt');
    const place = client.log.length;
    held.open();
    await first;
    await client.next(({ type }) => type === 'result', place + 1);
    await client.settled();
    await client.close();
  }),
  'a prompt in the middle of a call': shape(['"queued_command"'], async (live) => {
    const { model } = live;
    const client = live.start();
    const command = live.endlessCommand();
    model.script([command.call]);
    const over = client.result();
    client.post();
    await command.started();
    client.post('And another thing');
    await command.end();
    await over;
    await client.settled();
    await client.prompt();
    await client.close();
  }),
  'a prompt that takes the place of a reply': shape(['At once'], async (live) => {
    const { model } = live;
    const client = live.start();
    const held = gate();
    model.script({ content: [model.say(), model.say()], until: held.opened });
    const first = client.result();
    client.post();
    await client.replied();
    client.post('At once', { priority: 'now' });
    await first;
    held.open();
    await client.settled();
    await client.prompt();
    await client.close();
  }),
  'context without a turn': shape(['For later'], async (live) => {
    const client = live.start();
    await client.prompt();
    const over = client.result();
    client.post('For later', { shouldQuery: false });
    await over;
    await client.prompt();
    await client.close();
  }),
  'another model, mode and title': shape(['"custom-title"', '"type":"redacted_thinking"'], async (live) => {
    const { model } = live;
    const client = live.start();
    await client.prompt();
    await client.control({ subtype: 'set_model', model: 'claude-sonnet-4-5-20250929' });
    model.script([model.think(), model.redacted(), model.bash()], [model.redacted(), model.say()]);
    await client.prompt();
    await client.control({ subtype: 'set_permission_mode', mode: 'acceptEdits' });
    await client.control({ subtype: 'rename_session', title: 'A title', source: 'host' });
    await client.raw('/model opus');
    await client.prompt();
    await client.close();
  }),
  'a turn that reaches the limit of rounds': shape(['"max_turns_reached"'], async (live) => {
    const { model } = live;
    const client = live.start({ args: ['--max-turns', '2'] });
    model.script([model.bash()], [model.bash()], [model.bash()]);
    await client.prompt();
    await client.close();
    const resumed = live.resume(client);
    await resumed.prompt();
    await resumed.close();
  }),
};
