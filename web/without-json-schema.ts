import type { Plugin } from 'vite'

/**
 * Leaves out of zod what describes schemas as JSON Schema: the server does that, no browser ever does, and it is a fifth
 * of what a browser would load and run of zod before it can read its first answer.
 */
export function withoutJsonSchema(): Plugin {
  return {
    name: 'without-json-schema',
    apply: 'build',
    transform: {
      filter: { id: /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/ },
      handler(code) {
        const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name = '']) => name)
        if (names.length === 0) this.error('zod has moved what is to be left out')
        const absent = `const absent = () => () => { throw new Error('Browsers describe no schemas') }`
        return { code: [absent, ...names.map((name) => `export const ${name} = absent`)].join('\n'), map: null }
      },
    },
  }
}
