import { type LiveShapes, onePixel, picture, shape } from './shape';

/** What the model sends and what a prompt contains. */
export const MESSAGE_SHAPES: LiveShapes = {
  'thinking, calls and text in one message': shape(
    ['"type":"redacted_thinking"', '"type":"thinking"'],
    async (live) => {
      const { model } = live;
      const client = live.start();
      model.script(
        [model.think(), model.say(), model.bash(), model.bash()],
        [model.redacted(), model.think(), model.say()],
      );
      await client.prompt();
      await client.prompt();
      await client.close();
    },
  ),
  'a message of nothing but thinking': shape(['"type":"redacted_thinking"', 'no visible output'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script([model.think()], [model.redacted()], [model.think(), model.bash()], [model.think()]);
    for (let turns = 0; turns < 3; turns++) await client.prompt();
    await client.close();
  }),
  'images in prompts': shape(['"type":"image"'], async (live) => {
    const client = live.start();
    await client.prompt('Look.', [picture(1), picture(2)]);
    await client.raw([picture(3)]);
    await client.prompt();
    await client.close();
  }),
  'a document in a prompt': shape(['"type":"document"'], async (live) => {
    const client = live.start();
    const data = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');
    await client.prompt('Read.', [
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } },
    ]);
    await client.prompt();
    await client.close();
  }),
  'an image that a tool reads': shape(['"type":"image"'], async (live) => {
    const { model } = live;
    const client = live.start();
    const path = await live.write('picture.png', onePixel(4));
    model.script([model.call('Read', { file_path: path }), model.bash()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'searches of the API': shape(['"type":"server_tool_use"', '"type":"web_search_tool_result"'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script([model.say(), ...model.search(), ...model.search(), model.say()], [...model.search(), model.bash()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'a search of the API that pauses the turn': shape(['"stop_reason":"pause_turn"'], async (live) => {
    const { model } = live;
    const client = live.start();
    const [call] = model.search();
    // The client does not continue such a turn, and leaves out the call: the API has nothing to add a result to.
    model.script({ content: [model.say(), call], stopReason: 'pause_turn' }, [model.say()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'a refusal of the model': shape(['"stop_reason":"refusal"'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script({ content: [model.say()], stopReason: 'refusal' });
    await client.prompt();
    await client.prompt();
    model.script({ content: [], stopReason: 'refusal' });
    await client.prompt();
    await client.close();
  }),
  'a reply that is cut at its limit': shape(['"stop_reason":"max_tokens"'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script({ content: [model.say()], stopReason: 'max_tokens' }, [model.say()]);
    await client.prompt();
    model.script({ content: [model.say(), model.bash()], stopReason: 'max_tokens' }, [model.say()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'empty and blank replies': shape(['no visible output'], async (live) => {
    const { model } = live;
    const client = live.start();
    for (const content of [[], [{ type: 'text', text: '' } as const], [{ type: 'text', text: ' \n' } as const]]) {
      model.script(content);
      await client.prompt();
    }
    await client.prompt();
    await client.close();
  }),
  'a full window of the model': shape(['"stop_reason":"model_context_window_exceeded"'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script({ content: [model.say()], stopReason: 'model_context_window_exceeded' });
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'equal messages': shape(['"content":"again"'], async (live) => {
    const client = live.start();
    for (let turns = 0; turns < 3; turns++) await client.raw('again');
    await client.close();
  }),
};
