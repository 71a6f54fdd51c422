import { type LiveShapes, shape } from './shape';
import { mcpServer } from './mcpServer';

/** The client's tools and its questions. */
export const TOOL_SHAPES: LiveShapes = {
  'files that are written, read and edited': shape(['"structuredPatch"', 'File does not exist'], async (live) => {
    const { model, cwd } = live;
    const client = live.start();
    const path = `${cwd}/a.txt`;
    model.script(
      [model.call('Write', { file_path: path, content: 'one\ntwo\n' })],
      [model.call('Read', { file_path: path })],
      [
        model.call('Edit', { file_path: path, old_string: 'one', new_string: 'three' }),
        model.call('Edit', { file_path: path, old_string: 'none', new_string: 'four' }),
        model.call('Read', { file_path: `${cwd}/missing.txt` }),
      ],
    );
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'five calls at once, one of which fails': shape(['Exit code 3'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script([
      model.bash(),
      model.bash(`echo '${live.numbered('failed')}'; exit 3`),
      model.bash(),
      model.bash(),
      model.call('Glob', { pattern: '*.md' }),
    ]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'a large output in a file of its own': shape(['<persisted-output>'], async (live) => {
    const { model } = live;
    const client = live.start();
    const large = `echo '${live.numbered('large')}'; seq 1 30000`;
    model.script([model.bash(large)], [model.bash(large), model.bash()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  tasks: shape(['"name":"TaskUpdate"'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script(
      [model.call('TaskCreate', { subject: live.numbered('task'), description: 'x' })],
      [
        model.call('TaskUpdate', { taskId: '1', status: 'in_progress' }),
        model.call('TodoWrite', {
          todos: [{ content: live.numbered('todo'), status: 'pending', activeForm: 'Doing' }],
        }),
      ],
      [model.call('TaskUpdate', { taskId: '1', status: 'completed' }), model.call('TaskList', {})],
    );
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'questions, one answered and one not': shape(['Not now', '\\"=\\"Red\\"'], async (live) => {
    const { model } = live;
    const ask = (): ReturnType<typeof model.call> =>
      model.call('AskUserQuestion', {
        questions: [
          {
            question: live.numbered('Which?'),
            header: 'Which',
            multiSelect: false,
            options: [
              { label: 'Red', description: 'r' },
              { label: 'Blue', description: 'b' },
            ],
          },
        ],
      });
    let asked = 0;
    const client = live.start({
      answer: ({ input = {} }) => {
        asked++;
        if (asked > 1) return { behavior: 'deny', message: live.numbered('Not now') };
        // SAFETY: it is the question above.
        const [first] = input['questions'] as readonly { question: string }[];
        return { behavior: 'allow', updatedInput: { ...input, answers: { [first?.question ?? '']: 'Red' } } };
      },
    });
    model.script([ask()], [ask()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'a plan that is refused and then accepted': shape(['Plan more', '"plan_mode_exit"'], async (live) => {
    const { model } = live;
    let asked = 0;
    const client = live.start({
      args: ['--permission-mode', 'plan'],
      answer: ({ tool_name, input }) => {
        if (tool_name === 'ExitPlanMode' && asked++ === 0) {
          return { behavior: 'deny', message: live.numbered('Plan more') };
        }
        return { behavior: 'allow', updatedInput: input };
      },
    });
    const exit = (): ReturnType<typeof model.call> => model.call('ExitPlanMode', { plan: live.numbered('The plan') });
    model.script([model.say(), exit()], [exit()], [model.bash()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'plan mode that Claude enters itself': shape(['"plan_mode_exit"'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script([model.call('EnterPlanMode', {})], [model.call('ExitPlanMode', { plan: live.numbered('plan') })]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'permissions that are refused': shape(['Another way'], async (live) => {
    const { model } = live;
    const client = live.start({ answer: () => ({ behavior: 'deny', message: live.numbered('Another way') }) });
    model.script([model.bash('touch x'), model.call('WebFetch', { url: 'https://example.test/', prompt: 'x' })]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'a refused permission that ends the turn': shape(['[Request interrupted by user for tool use]'], async (live) => {
    const { model } = live;
    const client = live.start({ answer: () => ({ behavior: 'deny', message: 'Stop', interrupt: true }) });
    model.script([model.bash('touch x'), model.bash('touch y')]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'an unknown tool and invalid input': shape(['No such tool available', 'InputValidationError'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script([model.call('NoSuchTool', { a: 1 }), model.call('Bash', { wrong: true }), model.bash()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'the tools of an MCP server': shape(['"mcp__own__resource"', 'from the server'], async (live) => {
    const { model } = live;
    const server = await live.write('server.mjs', mcpServer(live.numbered));
    const config = { mcpServers: { own: { command: process.execPath, args: [server] } } };
    const client = live.start({ args: ['--mcp-config', JSON.stringify(config), '--allowedTools', 'mcp__own'] });
    await client.control({ subtype: 'mcp_status' });
    const use = (name: string): ReturnType<typeof model.call> => model.call(`mcp__own__${name}`, {});
    model.script([use('text')], [use('picture'), use('failure')], [use('large')], [use('structure'), use('resource')]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'tools that are searched for': shape(['"tool_reference"'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script(
      [model.call('ToolSearch', { query: 'select:WebFetch,NotebookEdit', max_results: 5 })],
      [model.call('ToolSearch', { query: 'notebook' }), model.bash()],
    );
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'a skill': shape(['What the skill says.'], async (live) => {
    const { model } = live;
    const text = live.numbered('What the skill says.');
    await live.write('.claude/skills/own/SKILL.md', `---\nname: own\ndescription: A skill of the test\n---\n${text}\n`);
    const client = live.start();
    model.script([model.call('Skill', { skill: 'own' })], [model.bash()]);
    await client.prompt();
    await client.raw('/own words');
    await client.prompt();
    await client.close();
  }),
  'a worktree that Claude enters and leaves': shape(['"type":"relocated"'], async (live) => {
    const { model } = live;
    await live.repository();
    const client = live.start();
    model.script([model.call('EnterWorktree', { name: 'side' })], [model.bash()]);
    await client.prompt();
    model.script([model.call('ExitWorktree', { action: 'keep' })], [model.bash()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'a session in a worktree, resumed': shape(['"type":"worktree-state"'], async (live) => {
    const { model } = live;
    await live.repository();
    const client = live.start({ args: ['--worktree', 'beside'] });
    model.script([model.bash()]);
    await client.prompt();
    await client.close();
    const resumed = live.resume(client);
    await resumed.prompt();
    await resumed.close();
  }),
  'an answer in a given form': shape(['"structured_output"'], async (live) => {
    const { model } = live;
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const client = live.start({ args: ['--json-schema', JSON.stringify(schema)] });
    model.script([model.call('StructuredOutput', { a: live.numbered('x') })]);
    await client.prompt();
    model.script(
      [model.say()],
      [model.call('StructuredOutput', { b: 1 })],
      [model.call('StructuredOutput', { a: 'y' })],
    );
    await client.prompt();
    await client.close();
  }),
};
