import { QueryClientProvider } from '@tanstack/react-query'
import { render, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createQueryClient } from '@/query-client.ts'
import { ShareDialog } from './certificates-page.tsx'

const certificate = {
  id: 'ada12345-a1-c1',
  userId: 'ada12345',
  accountId: 'ada12345-a1',
  name: 'Phase 1 passed',
  fileUrl: '/api/certificates/ada12345-a1-c1/file',
  issuedAt: '2026-03-14',
  uploadedAt: '2026-03-15T10:00:00.000Z',
  revokedAt: null,
  share: { path: '/c/AAAAAAAAAAAAAAAAAAAAAA', showsName: false },
}

afterEach(() => vi.unstubAllGlobals())

const show = (answer: () => Promise<Response>) => {
  vi.stubGlobal('fetch', answer)
  render(
    <QueryClientProvider client={createQueryClient(vi.fn(), vi.fn())}>
      <ShareDialog certificate={certificate} onClose={() => {}} />
    </QueryClientProvider>,
  )
  return screen.getByRole<HTMLInputElement>('checkbox')
}

it('shows the choice of a name at once, while it is on its way', () => {
  const box = show(() => new Promise(() => {}))
  fireEvent.click(box)
  expect(box.checked).toBe(true)
})

it('takes back a choice that the server refused', async () => {
  const box = show(async () => Response.json({ message: 'Not now' }, { status: 409 }))
  fireEvent.click(box)
  await waitFor(() => expect(box.checked).toBe(false))
})
