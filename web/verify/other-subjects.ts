import type { Plugin } from 'vite'

/** Subjects whose events are in no export. */
const others = /\/services\/domain\/(installation|mail|notice|second-factor)\/[\w-]+\.ts$/

/** Leaves the code of other subjects out of the page. An event of theirs is of an unknown type here, and refused. */
export function withoutOtherSubjects(): Plugin {
  return {
    name: 'proofdesk:without-other-subjects',
    enforce: 'pre',
    transform(code, id) {
      if (!others.test(id)) return undefined
      const names = [...code.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name]) => name)
      return { code: names.map((name) => `export const ${name} = {}`).join('\n'), map: null }
    },
  }
}
