const CLASSES: Readonly<Record<string, string>> = {
  keyword: 'keyword',
  doctag: 'keyword',
  'meta.keyword': 'keyword',
  'selector-tag': 'keyword',
  'variable.language': 'keyword',
  literal: 'literal',
  number: 'number',
  string: 'string',
  'meta.string': 'string',
  regexp: 'string',
  link: 'string',
  comment: 'comment',
  quote: 'comment',
  title: 'title',
  'title.function': 'title',
  'title.class': 'type',
  section: 'title',
  type: 'type',
  built_in: 'type',
  class: 'type',
  tag: '',
  name: 'keyword',
  attr: 'attribute',
  attribute: 'attribute',
  property: 'attribute',
  'template-variable': 'attribute',
  variable: 'attribute',
  symbol: 'literal',
  bullet: 'literal',
  meta: 'comment',
  addition: 'addition',
  deletion: 'deletion',
};

/** Class of a highlight.js scope; empty for one without a colour. */
export function tokenClass(scope: string): string {
  const name = CLASSES[scope] ?? CLASSES[scope.split('.')[0] ?? ''] ?? '';
  return name === '' ? '' : `token-${name}`;
}
