// @ts-check
// The README and the CHANGELOG as pages of an installed extension, which shows no picture and follows no link by a path
// within the repository.

const FENCED = /(^```[^]*?^```$)/m;
const PICTURE = /!\[(?<alt>[^\]]*)\]\((?<target>[^)\s]+)\)/g;
const LINK = /(?<!!)\[(?<label>[^\]]*)\]\((?<target>[^)\s]+)\)/g;
const HEADING = /^#+ /;

/**
 * With a repository, pictures and links lead there. Without one, the page is the text alone: no pictures, links as their
 * words, and neither lines nor headings that are left with nothing else.
 * @param {string} text  Markdown
 * @param {unknown} repository  as package.json names it
 */
export function packagedPage(text, repository) {
  const address = addressOf(repository);
  const parts = text.split(FENCED);
  if (address !== null) return parts.map((part) => (isCode(part) ? part : withAddress(part, address))).join('');
  const blocks = parts.flatMap((part) => (isCode(part) ? [part] : part.split(/\n{2,}/).flatMap(wordsOf)));
  const said = blocks.map((block) => block.replace(/^\n+|\n+$/g, '')).filter((block) => block !== '');
  const isEmptySection = (/** @type {string} */ block, /** @type {number} */ at) =>
    HEADING.test(block) && !block.startsWith('# ') && HEADING.test(said[at + 1] ?? '# ');
  return `${said.filter((block, at) => !isEmptySection(block, at)).join('\n\n')}\n`;
}

/** @param {string} part */
function isCode(part) {
  return part.startsWith('```');
}

/**
 * @param {string} text
 * @param {string} address
 */
function withAddress(text, address) {
  return text
    .replace(PICTURE, (all, alt, target) => (isRelative(target) ? `![${alt}](${address}/raw/HEAD/${target})` : all))
    .replace(LINK, (all, label, target) => (isRelative(target) ? `[${label}](${address}/blob/HEAD/${target})` : all));
}

/**
 * @param {string} block
 * @returns {string[]} none if it said only where something is
 */
function wordsOf(block) {
  const words = block
    .replace(PICTURE, (all, _alt, target) => (isRelative(target) ? '' : all))
    .replace(LINK, (all, label, target) => (isRelative(target) ? label : all));
  const isOnlyPlaces = block !== words && /^(?:More:)?[\s·]*$/.test(block.replace(PICTURE, '').replace(LINK, ''));
  return isOnlyPlaces ? [] : [words];
}

/** @param {string} target */
function isRelative(target) {
  return !/^(?:[a-z][a-z0-9+.-]*:|#|\/\/)/i.test(target);
}

/**
 * The page of the repository: https://github.com/owner/name.
 * @param {unknown} repository
 * @returns {string | null} null if there is none
 */
function addressOf(repository) {
  const named =
    typeof repository === 'object' && repository !== null && 'url' in repository ? repository.url : repository;
  if (named === undefined || named === null) return null;
  const written = typeof named === 'string' ? named : '';
  const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(written)?.[1];
  const [, host, path] = /^(?:git\+)?(?:https|ssh):\/\/(?:git@)?([^/]+)\/(.+?)(?:\.git)?\/?$/.exec(written) ?? [];
  if (short !== undefined) return `https://github.com/${short}`;
  if (host !== undefined && path !== undefined) return `https://${host}/${path}`;
  throw new Error(`Failed to read the repository of package.json: ${JSON.stringify(repository)}`);
}
