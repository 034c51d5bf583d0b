import { expect, it } from 'vitest'
import { until } from '../../test-support/until.ts'
import { describeSite } from './kit.ts'

/** Requests of a first load: of the trader's first page, and of any other. */
const MOST = { first: 15, others: 20 }
/** JavaScript and CSS, gzipped, in kB. */
const MOST_KB = 130

describeSite('a first load', (site) => {
  it('is small', async () => {
    const trader = await site.portal.trader()
    for (const path of ['/auth', '/']) {
      const { page, context, open } = await site.visit(path === '/' ? { as: trader } : {})
      // Browsers prefer brotli, which is smaller.
      await context.setExtraHTTPHeaders({ 'accept-encoding': 'gzip' })
      const code: Promise<{ readonly encoding: string | undefined; readonly bytes: number }>[] = []
      page.on('requestfinished', (request) => {
        if (!['script', 'stylesheet'].includes(request.resourceType())) return
        const response = request.response().then((answer) => answer?.headerValue('content-encoding'))
        code.push(Promise.all([response, request.sizes()]).then(([encoding, { responseBodySize: bytes }]) => ({ encoding: encoding ?? undefined, bytes })))
      })
      const complete = path === '/' ? page.waitForRequest('**/api/user/notices') : page.waitForLoadState('networkidle')
      await open(path)
      await complete
      const files = await Promise.all(code)
      expect(new Set(files.map(({ encoding }) => encoding)), path).toEqual(new Set(['gzip']))
      expect(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000, `kB of ${path}`).toBeLessThanOrEqual(MOST_KB)
      await context.close()
    }
  })

  it('takes few requests', async () => {
    const [trader, admin] = await Promise.all([site.portal.trader(), site.portal.admin()])
    const paths = ['/', '/payouts', '/certificates', '/account-sizes', '/history', '/settings', '/admin/dashboard', '/admin/users', '/admin/payouts']
    for (const path of paths) {
      const { page, context, open } = await site.visit({ as: path.startsWith('/admin') ? admin : trader })
      const requests: string[] = []
      page.on('request', (request) => requests.push(new URL(request.url()).pathname))
      await open(path)
      // The last requests of a page: when the browser is idle, and for changes.
      const last = path.startsWith('/admin') ? ['/api/live'] : ['/api/live', '/api/user/notices']
      await until(async () => last.every((request) => requests.includes(request)), `the requests of ${path}`)
      const different = [...new Set(requests)]
      expect(different.length, `${path}: ${different.join(' ')}`).toBeLessThanOrEqual(path === '/' ? MOST.first : MOST.others)
      await context.close()
    }
  })
})
