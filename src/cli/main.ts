/**
 * The entry. Claude Code waits for `rethread checkpoint` before each change of a file, so nothing is loaded for it but what
 * it needs; all else is what people and scripts start.
 */
const [command, ...options] = process.argv.slice(2);
const isHook = command === 'checkpoint' && !options.includes('--help') && !options.includes('-h');
void (isHook ? import('./hookProgram') : import('./program'));
