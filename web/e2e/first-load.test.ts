import { expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '../../test-support/until.ts'
import { readsOf } from '../first-reads.ts'
import { describeSite } from './kit.ts'

/** Requests of a first load: of the trader's first page, and of any other. */
const MOST = { first: 15, others: 20 }

const Loads = z.array(z.object({ path: z.string(), by: z.string() }))

describeSite('a first load', (site) => {
  it('requests code and first answers of a page together, each once, and not too many', async () => {
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
      // Later reads may follow a change.
      const own = requests.slice(0, requests.indexOf('/api/live')).filter((request) => readsOf(path).includes(request))
      expect([path, own.toSorted()]).toEqual([path, readsOf(path).toSorted()])
      // What the page names is not requested by a script, which would be a round trip later.
      const loads = Loads.parse(
        await page.evaluate(() =>
          performance
            .getEntriesByType('resource')
            .map((entry) => ({ path: new URL(entry.name).pathname, by: 'initiatorType' in entry ? String(entry.initiatorType) : '' })),
        ),
      )
      for (const read of readsOf(path)) expect([path, read, loads.find((load) => load.path === read)?.by]).toEqual([path, read, 'link'])
      const different = [...new Set(requests)]
      expect(different.length, `${path}: ${different.join(' ')}`).toBeLessThanOrEqual(path === '/' ? MOST.first : MOST.others)
      await context.close()
    }
  })
})
