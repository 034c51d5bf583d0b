import { expect, it } from 'vitest'
import { until } from '../../test-support/until.ts'
import { describeSite } from './kit.ts'

/** Requests of a first load: of the trader's first page, and of any other. */
const MOST = { first: 15, others: 20 }

describeSite('a first load', (site) => {
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
