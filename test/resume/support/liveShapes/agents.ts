import { type LiveShapes, shape } from './shape';

const agent = (prompt: string, more: object = {}): object => ({
  description: 'an agent',
  prompt,
  subagent_type: 'general-purpose',
  run_in_background: false,
  ...more,
});

/** Agents and background work. */
export const AGENT_SHAPES: LiveShapes = {
  'an agent': shape(['"agentId"'], async (live) => {
    const { model } = live;
    const client = live.start();
    const words = live.numbered('Agent, look');
    model.scriptAgent(words, [model.bash()], [model.say('Found.')]);
    model.script([model.say(), model.call('Agent', agent(words))]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'two agents at once beside a command': shape(['"agentId"'], async (live) => {
    const { model } = live;
    const client = live.start();
    const [one, two] = [live.numbered('Agent one'), live.numbered('Agent two')];
    model.scriptAgent(one, [model.bash(), model.bash()]);
    model.scriptAgent(two, [model.bash()]);
    model.script([model.call('Agent', agent(one)), model.call('Agent', agent(two)), model.bash()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'an agent in the background': shape(['<task-notification>'], async (live) => {
    const { model } = live;
    const client = live.start();
    const words = live.numbered('Agent, look');
    model.scriptAgent(words, [model.bash()]);
    model.script([model.call('Agent', agent(words, { run_in_background: true }))]);
    await client.prompt();
    await client.settled();
    await client.prompt();
    await client.close();
  }),
  'an agent whose API fails': shape(['"name":"Agent"'], async (live) => {
    const { model } = live;
    const client = live.start();
    const words = live.numbered('Agent, look');
    const error = { type: 'invalid_request_error', message: 'from the mock' };
    model.scriptAgent(words, [model.bash()], { status: 400, error }, { status: 400, error }, { status: 400, error });
    model.script([model.call('Agent', agent(words))]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'killed during an agent, and resumed': shape(['No response requested.'], async (live) => {
    const { model } = live;
    const client = live.start();
    const words = live.numbered('Agent, look');
    const command = live.endlessCommand();
    model.scriptAgent(words, [command.call]);
    model.script([model.say(), model.call('Agent', agent(words))]);
    client.post();
    await command.started();
    await client.kill();
    const resumed = live.resume(client);
    await resumed.prompt();
    await resumed.close();
  }),
  'a command in the background that ends': shape(['<task-notification>'], async (live) => {
    const { model } = live;
    const client = live.start();
    const command = live.endlessCommand({ run_in_background: true });
    model.script([command.call], [model.say()]);
    await client.prompt();
    await command.started();
    const own = client.result();
    await command.end();
    await own;
    await client.settled();
    await client.prompt();
    await client.close();
  }),
  'a command in the background that is stopped': shape(['"queued_command"'], async (live) => {
    const { model } = live;
    const client = live.start();
    const command = live.endlessCommand({ run_in_background: true });
    model.script([command.call], [model.say()]);
    const started = client.next(({ subtype }) => subtype === 'task_started');
    await client.prompt();
    const { task_id } = await started;
    await client.control({ subtype: 'stop_task', task_id });
    await client.settled();
    await client.prompt();
    await client.close();
  }),
  'killed with a command in the background, and resumed': shape(['backgroundTaskId'], async (live) => {
    const { model } = live;
    const client = live.start();
    const command = live.endlessCommand({ run_in_background: true });
    model.script([command.call], [model.say()]);
    await client.prompt();
    await command.started();
    await client.kill();
    const resumed = live.resume(client);
    await resumed.prompt();
    await resumed.close();
  }),
};
