import { expect } from 'vitest'
import { z } from 'zod'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { type Browser, browser } from './http-client.ts'
import { pdf, read, uploadCertificate } from './http-calls.ts'
import { registration } from './portal.ts'
import { ADMIN_KEY } from './program.ts'

/**
 * A person of whom nothing may be left after the deletion. These words occur nowhere else, so every match is theirs.
 */
export const person = {
  'first name': 'Zoëlindra',
  'last name': 'Vanishquill',
  'former name': 'Brambleworth',
  email: 'zoelindra.vanishquill@quillmail.example',
  street: 'Quietfeather Lane',
  'former street': 'Oldthistle Row',
  city: 'Nowhereham-on-Quill',
  'house number': '77b-quillhouse',
  'payment details': 'IBAN QL55 0123 4567 8901 2345 67',
  'master password': 'quill-master-9f31',
  password: 'Quill-Password-1859',
  'new password': 'Quill-Password-1860',
  'name of a certificate': 'Quillcertificate of Excellence',
  'content of a certificate': 'this page of the quill certificate is hers alone',
}

/** A person who stays: finding them proves that the search works. */
export const retainedTexts = {
  'last name': 'Stayperson',
  email: 'here.stayperson@quillmail.example',
  city: 'Staytown-upon-Here',
}

/** Lets a trader and an administrator use every feature for one person, while another person stays. */
export async function createUserWithAllData(portal: { readonly url: string }) {
  const admin = browser(portal.url)
  expect((await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })).status).toBe(200)
  const trader = browser(portal.url)
  const { city, email, password, street } = person
  const begun = {
    ...registration,
    email,
    password,
    city,
    fullName: `${person['first name']} ${person['former name']}`,
    street: person['former street'],
    houseNumber: person['house number'],
  }
  const { id } = z.object({ id: z.string() }).parse((await trader.post('/api/register', begun)).body)
  const staying = browser(portal.url)
  const { email: otherEmail, city: otherCity, 'last name': otherName } = retainedTexts
  await staying.post('/api/register', {
    ...registration,
    email: otherEmail,
    city: otherCity,
    fullName: `Ever ${otherName}`,
  })

  const fullName = `${person['first name']} ${person['last name']}`
  await trader.patch('/api/user/profile', { street, fullName })
  await trader.post('/api/user/change-password', { currentPassword: password, newPassword: person['new password'] })
  await browser(portal.url).post('/api/forgot-password', { email })
  await browser(portal.url).post('/api/login', { email, password: 'wrong, and by far' })
  await browser(portal.url).post('/api/login', { email, password: person['new password'] })
  await admin.patch(`/api/admin/user/${id}/account`, {
    balance: '5000.00',
    status: 'active',
    payoutEnabled: true,
    login: '990017',
    masterPassword: person['master password'],
    server: 'MT5',
  })
  const request = { paymentMethod: 'bank', paymentDetails: person['payment details'] }
  const payouts = await Promise.all(
    ['110.00', '220.00'].map(async (amount) =>
      read(Payout, await trader.post('/api/user/payouts', { ...request, amount })),
    ),
  )
  await admin.patch(`/api/admin/payouts/${payouts[0]?.id}`, { status: 'approved', adminNotes: 'Checked' })
  const file = pdf(4_000)
  file.write(person['content of a certificate'], 2_000)
  const certificate = read(
    Certificate,
    await uploadCertificate(admin, { userId: id, name: person['name of a certificate'], file }),
  )
  await admin.patch(`/api/admin/user/${id}/ban`, { banned: true, banReason: 'Two accounts' })
  await admin.patch(`/api/admin/user/${id}/ban`, { banned: false })
  await viewAllPages(admin, trader, id, certificate.fileUrl)
  return { admin, trader, id }
}

/** Everything that reads, searches or exports the person. */
async function viewAllPages(admin: Browser, trader: Browser, id: string, fileUrl: string): Promise<void> {
  const own = ['', '/account', '/payouts', '/certificates', '/history', '/history/proof', '/export'].map(
    (path) => `/api/user${path}`,
  )
  for (const path of [...own, fileUrl]) expect((await trader.get(path)).status, path).toBe(200)
  const about = [`/api/admin/user/${id}`, `/api/audit/accounts/${id}`, `/api/audit/accounts/${id}/export`]
  const lists = ['/api/admin/users', '/api/admin/payouts', '/api/audit/accounts']
  const searches = Object.values(person).flatMap((text) =>
    lists.map((path) => `${path}?search=${encodeURIComponent(text)}`),
  )
  for (const path of ['/api/admin/users.csv', '/api/admin/payouts.csv', ...about, ...searches])
    expect((await admin.get(path)).status, path).toBe(200)
}
