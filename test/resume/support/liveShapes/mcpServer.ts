import { onePixel } from './shape';

/** The script of a server with a few tools that each give another kind of result. */
export function mcpServer(numbered: (words: string) => string): string {
  const text = (words: string): object => ({ type: 'text', text: numbered(words) });
  const uri = 'file:///of-the-server.txt';
  const results = {
    text: { content: [text('from the server')] },
    picture: {
      content: [text('a picture'), { type: 'image', data: onePixel(7).toString('base64'), mimeType: 'image/png' }],
    },
    failure: { content: [text('failed')], isError: true },
    large: { content: [{ type: 'text', text: numbered('large ').concat('words of a server '.repeat(9_000)) }] },
    structure: { content: [text('structure')], structuredContent: { of: numbered('structure') } },
    resource: {
      content: [{ type: 'resource', resource: { uri, mimeType: 'text/plain', text: numbered('resource') } }],
    },
  };
  return `import { createInterface } from 'node:readline';
const results = ${JSON.stringify(results)};
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'own', version: '1.0.0' },
    instructions: 'Use it.',
  }),
  'tools/list': () => ({
    tools: Object.keys(results).map((name) => ({ name, description: name, inputSchema: { type: 'object', properties: {} } })),
  }),
  'tools/call': ({ name }) => results[name],
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params) ?? {};
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;
}
