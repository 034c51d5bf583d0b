import type { Browser } from 'playwright-core'
import { openChromium, openWindow } from './chromium.ts'
import { startDemo } from './demo.ts'
import type { Figure, Settings, Subject } from './figures.ts'

const MOST_KB = 130
/** So long nothing more was asked for, in ms: then the page has what it needs. */
const QUIET = 1_000

/** What a browser that has nothing yet loads to show a page, down to the last file that the page asks for by itself. */
export const web: Subject = {
  name: 'web',
  about: 'JS and CSS of a first load, in kB gzipped, as they go over the network',

  async measure({ profile, say }: Settings): Promise<readonly Figure[]> {
    say('making the demo')
    const { program, trader, admin } = await startDemo()
    const browser = await openChromium()
    const visits: readonly { readonly what: string; readonly path: string; readonly cookie?: string; readonly shown: string; readonly limited?: true }[] = [
      { what: '/auth', path: '/auth', shown: 'Login', limited: true },
      { what: '/ of a stranger', path: '/', shown: 'Login', limited: true },
      { what: '/ of a trader', path: '/', cookie: trader, shown: 'Account Balance', limited: true },
      { what: '/payouts', path: '/payouts', cookie: trader, shown: 'Request ID' },
      { what: '/admin/users', path: '/admin/users', cookie: admin, shown: 'Broker Login' },
    ]
    const figures: Figure[] = []
    for (const { what, path, cookie, shown, limited } of visits) {
      const files = await firstLoad(browser, `${program.url}${path}`, shown, cookie)
      const total = kB(files)
      const value = `${total.toFixed(1)} kB in ${files.length} files (JS ${kB(files, 'script').toFixed(1)}, CSS ${kB(files, 'stylesheet').toFixed(1)})`
      if (profile) say(files.map(({ name, bytes }) => `  ${String(bytes).padStart(7)} ${name}`).join('\n'))
      figures.push({ what, value, ...(limited && { target: { text: `≤ ${MOST_KB} kB`, met: total <= MOST_KB } }) })
    }
    await browser.close()
    await program.stop()
    return figures
  },
}

interface File {
  readonly name: string
  readonly kind: string
  /** Of the body, as it was sent. */
  readonly bytes: number
}

async function firstLoad(browser: Browser, address: string, shown: string, cookie: string | undefined): Promise<readonly File[]> {
  const { origin, pathname } = new URL(address)
  const { context, page } = await openWindow(browser, origin, cookie === undefined ? undefined : { cookie })
  // Browsers take brotli, which is smaller; the limit speaks of gzip.
  await context.setExtraHTTPHeaders({ 'accept-encoding': 'gzip' })
  const asked: { readonly name: string; readonly kind: string; readonly sizes: Promise<number> }[] = []
  let newest = performance.now()
  page.on('request', (request) => {
    const kind = request.resourceType()
    newest = performance.now()
    if (kind !== 'script' && kind !== 'stylesheet') return
    const sizes = request.response().then(async () => (await request.sizes()).responseBodySize)
    asked.push({ name: new URL(request.url()).pathname, kind, sizes })
  })
  await page.goto(pathname)
  await page.getByText(shown).first().waitFor()
  // What is drawn later, such as a chart, belongs to it.
  await page.getByRole('status').filter({ hasText: 'Loading' }).first().waitFor({ state: 'detached' })
  while (performance.now() - newest < QUIET) await new Promise((resolve) => setTimeout(resolve, 100))
  const files = await Promise.all(asked.map(async ({ sizes, ...file }) => ({ ...file, bytes: await sizes })))
  await context.close()
  return files.sort((a, b) => b.bytes - a.bytes)
}

function kB(files: readonly File[], kind?: string): number {
  return files.filter((file) => kind === undefined || file.kind === kind).reduce((sum, { bytes }) => sum + bytes, 0) / 1_000
}
