import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Batch } from '#services/payments/batches/batch-api.ts'
import { ImportAnswer } from '#services/trading/imports/import-api.ts'
import { read, uploadCertificate } from '#test-support/http-calls.ts'
import { statementForm } from '#test-support/statement-form.ts'
import { createUsers, traderWithRequests } from './admin-people.ts'
import { describeSite, narrowWidths } from './kit.ts'

const NAME = 'Hubert Blaine Wolfeschlegelsteinhausenbergerdorff'

/** The addresses of every route, by who sees them; TRADER, BATCH and IMPORT stand for ids. `/$name` shows nothing. */
const screens: Readonly<Record<string, readonly ['nobody' | 'trader' | 'staff', ...addresses: string[]]>> = {
  '/': ['trader', '/', '/?tab=performance', '/?tab=details'],
  '/account-sizes': ['trader', '/account-sizes', '/account-sizes?phase=2'],
  '/admin': ['staff', '/admin', '/admin?tab=payouts'],
  '/admin/audit': ['staff', '/admin/audit'],
  '/admin/audit/$id': ['staff', '/admin/audit/TRADER', '/admin/audit/TRADER?view=account'],
  '/admin/audit/facts': ['staff', '/admin/audit/facts'],
  '/admin/calendar': ['staff', '/admin/calendar'],
  '/admin/cases': ['staff', '/admin/cases'],
  '/admin/dashboard': ['staff', '/admin/dashboard'],
  '/admin/imports': ['staff', '/admin/imports'],
  '/admin/imports/$id': ['staff', '/admin/imports/IMPORT'],
  '/admin/findings': ['staff', '/admin/findings'],
  '/admin/payouts': ['staff', '/admin/payouts'],
  '/admin/payouts/batches': ['staff', '/admin/payouts/batches'],
  '/admin/payouts/batches/answers': ['staff', '/admin/payouts/batches/answers'],
  '/admin/payouts/batches/$id': ['staff', '/admin/payouts/batches/BATCH'],
  '/admin/programmes': ['staff', '/admin/programmes'],
  '/admin/programmes/$id': ['staff', '/admin/programmes/two-step-100000'],
  '/admin/programmes/edit': ['staff', '/admin/programmes/edit?ids=two-step-100000,two-step-50000'],
  '/admin/programmes/new': ['staff', '/admin/programmes/new'],
  '/admin/security': ['staff', '/admin/security'],
  '/admin/staff': ['staff', '/admin/staff'],
  '/admin/system': ['staff', '/admin/system'],
  '/admin/tasks': ['staff', '/admin/tasks'],
  '/admin/users': ['staff', '/admin/users', '/admin/users?user=TRADER'],
  '/auth': ['nobody', '/auth', '/auth#register'],
  '/cases': ['trader', '/cases'],
  '/certificates': ['trader', '/certificates'],
  '/confirm-destination': ['nobody', '/confirm-destination', '/confirm-destination?token=none'],
  '/confirm-email': ['nobody', '/confirm-email', '/confirm-email?token=none'],
  '/forgot-password': ['nobody', '/forgot-password'],
  '/history': ['trader', '/history'],
  '/partners': ['trader', '/partners'],
  '/payouts': ['trader', '/payouts'],
  '/receipt/$id': ['trader', '/receipt/TRADER-a1-p3', '/receipt/none'],
  '/reset-password': ['nobody', '/reset-password', '/reset-password?token=none'],
  '/revert-email': ['nobody', '/revert-email', '/revert-email?token=none'],
  '/settings': ['trader', '/settings'],
}

/**
 * 'admin.audit.$id.tsx' is the route '/admin/audit/$id'; a layout's name ends as its index does, and a part of a path
 * without the page above it ends in '_'.
 */
function routeOf(file: string): string {
  const parts = file
    .replace(/\.tsx$/, '')
    .replaceAll('_.', '.')
    .split('.')
  return `/${parts.filter((part) => part !== 'index' && !part.startsWith('_')).join('/')}`
}

describeSite('every screen', (site) => {
  it('is in the table of this test', () => {
    const routes = readdirSync(new URL('../src/routes', import.meta.url)).map(routeOf)
    expect(Object.keys(screens).toSorted()).toEqual([...new Set(routes)].filter((path) => path !== '/$name').toSorted())
  })

  it(
    'is accessible and fits in both themes, on desktop and phone, and never scrolls sideways',
    { timeout: 300_000 },
    async () => {
      const admin = await site.portal.admin()
      const [banned] = await createUsers(admin, ['Banned Person'])
      await admin.patch(`/api/admin/user/${banned?.id}/ban`, { banned: true, banReason: 'Account sharing' })
      const trader = await traderWithRequests(site.portal, admin, NAME, ['100.00', '99999999.99', '300.00', '50.00'])
      await admin.patch(`/api/admin/payouts/${trader.id}-a1-p1`, {
        status: 'rejected',
        adminNotes: 'A long note that says at length why this request can not be paid out as it is',
      })
      const paid = `/api/admin/payouts/${trader.id}-a1-p3`
      await admin.patch(paid, { status: 'approved' })
      await admin.patch(`${paid}/payment`, { state: 'paid', reference: 'A transfer of the firm 2026-11-25 no. 1042' })
      const payout = `${trader.id}-a1-p4`
      await admin.patch(`/api/admin/payouts/${payout}`, { status: 'approved' })
      const batch = read(
        Batch,
        await admin.post('/api/admin/batches', { format: 'csv', currency: 'USD', payouts: [payout] }),
      )
      const columns = { account: 'a', id: 'i', openedAt: 'o', at: 'c', profit: 'p', volume: 'v' }
      const text = `a,i,o,c,p,v\n${trader.id}-a1,T1,yesterday,today,5,1`
      const form = statementForm(text, { kind: 'trades', mapping: { delimiter: ',', columns } })
      const statement = read(ImportAnswer, await admin.send('POST', '/api/admin/imports', form))
      await uploadCertificate(admin, { userId: trader.id, name: 'Phase 1 passed' })

      for (const [who, as] of Object.entries({ nobody: undefined, trader, staff: admin })) {
        const { page, expectGoodLook, expectNoSidewaysScroll } = await site.visit(as && { as })
        const own = [['any', '/nothing/here'], ...Object.values(screens)].filter(
          ([seer]) => seer === who || seer === 'any',
        )
        for (const address of own.flatMap(([, ...addresses]) => addresses)) {
          const to = address.replace('TRADER', trader.id).replace('BATCH', batch.id).replace('IMPORT', statement.id)
          await page.goto(to)
          // Not by its role: a dialog that the address opens makes the page behind it inert.
          await page.locator('h1').first().waitFor({ state: 'attached' })
          for (const loading of ['.animate-shimmer', '.spinner', '[aria-busy=true]'])
            await page.locator(loading).first().waitFor({ state: 'detached' })
          expect(new URL(page.url()).pathname).toBe(to.split(/[?#]/)[0])
          await expectGoodLook()
          await expectNoSidewaysScroll(...narrowWidths)
        }
      }
    },
  )
})
