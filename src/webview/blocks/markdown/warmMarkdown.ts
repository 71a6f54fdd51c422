import { parseMarkdown } from './parseMarkdown';

/** A little of what replies are made of. */
const SAMPLE = `# Heading

A reply with **bold**, *soft*, \`code\` and [a link](https://example.com), which goes on
over two lines.

- one
- two

1. first

\`\`\`ts
const a = 1;
\`\`\`

| a | b |
| - | - |
| 1 | 2 |
`;

/** Reads a text that nobody sees: expressions are compiled when they are first used, and some 15 ms of the first screen are that. */
export function warmMarkdown(): void {
  parseMarkdown(SAMPLE, false);
}
