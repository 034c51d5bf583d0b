import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import type { Plugin, UserConfig } from 'vite'

/**
 * Builds main.ts and page.html of the folder web/<name> into dist/<name>/<name>.html: one file that loads nothing and
 * may run nothing else.
 */
export function singlePageBuild(name: string, { plugins = [], ...config }: UserConfig = {}): UserConfig {
  const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
  return {
    ...config,
    root: path(`../${name}`),
    publicDir: false,
    plugins: [withoutApiTexts(), tailwind(), singlePage(path(`../${name}/page.html`), `${name}.html`), ...plugins],
    build: {
      outDir: path(`../../dist/${name}`),
      emptyOutDir: true,
      target: 'es2023',
      // As the web app: they know light-dark().
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      modulePreload: false,
      reportCompressedSize: false,
      // Only this format of a library loses its white space.
      lib: { entry: path(`../${name}/main.ts`), formats: ['iife'], name, fileName: name },
    },
  }
}

/** A quoted text of one line, with a comma after it or not. */
const quoted = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`
const apiText = new RegExp(String.raw`(\bdescribed\(\s*|\banswer\(\s*|\bsummary:\s*)${quoted}`, 'g')

/**
 * Leaves out what describes calls and fields in the OpenAPI document: subjects name their routes, and these pages make
 * no call.
 */
function withoutApiTexts(): Plugin {
  return {
    name: 'without-api-texts',
    enforce: 'pre',
    transform: {
      filter: { id: /-api\.ts$/ },
      handler: (code) => code.replace(apiText, "$1''"),
    },
  }
}

/** Puts the script and the styles of a build into its page. */
function singlePage(template: string, fileName: string): Plugin {
  return {
    name: 'single-page',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const parts = Object.values(bundle)
      const script = parts.flatMap((part) => (part.type === 'chunk' ? [part.code] : [])).join('\n')
      const style = parts
        .flatMap((part) => (part.type === 'asset' && part.fileName.endsWith('.css') ? [String(part.source)] : []))
        .join('\n')
      for (const name of Object.keys(bundle)) delete bundle[name]
      if (/<\/(?:script|style)/i.test(script + style)) this.error('The page would end in the middle of its script')
      // Functions as replacements: the script contains '$&' and the like.
      const source = readFileSync(template, 'utf8')
        .replace('%SCRIPT_HASH%', () => hashOf(script))
        .replace('%STYLE_HASH%', () => hashOf(style))
        .replace(/(<script[^>]*>)\s*%SCRIPT%\s*/, (_, tag: string) => tag + script)
        .replace(/<style>\s*%STYLE%\s*/, () => `<style>${style}`)
      this.emitFile({ type: 'asset', fileName, source })
    },
  }
}

/** The form in which a security policy names what may run. */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
