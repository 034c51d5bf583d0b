import type { Plugin } from 'vite'

/** Puts stubs in the place of all that some modules export, so that their code is not in the build. */
function withStubs(name: string, modules: RegExp, stub: string): Plugin {
  return {
    name,
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: modules },
      handler(code, id) {
        const names = [...code.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name = '']) => name)
        if (names.length === 0) this.error(`${id} exports nothing to leave out`)
        return { code: [`const stub = ${stub}`, ...names.map((name) => `export const ${name} = stub`)].join('\n'), map: null }
      },
    },
  }
}

/**
 * Leaves out of zod what describes schemas as JSON Schema: the server does that, no browser ever does, and it is a fifth
 * of what a browser would load and run of zod before it can read its first answer.
 */
export function withoutJsonSchema(): Plugin {
  const absent = `() => () => { throw new Error('Browsers describe no schemas') }`
  return withStubs('without-json-schema', /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/, absent)
}

/** Leaves out the subjects whose events are in no export. An event of theirs is of an unknown type then, and refused. */
export function withoutOtherSubjects(): Plugin {
  return withStubs('without-other-subjects', /\/services\/domain\/(installation|mail|notice|second-factor)\/[\w-]+\.ts$/, '{}')
}
