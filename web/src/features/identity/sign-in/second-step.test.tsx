import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { createQueryClient } from '@/query-client.ts'
import { SecondStep } from './auth-page.tsx'

const user = { id: 'ada12345', email: 'ada@example.com', fullName: 'Ada Lovelace' }

it('asks for the choice once: after the right code the server would refuse to give another', async () => {
  const calls: string[] = []
  vi.stubGlobal('fetch', async (path: string, { method = 'GET' }: RequestInit = {}) => {
    calls.push(`${method} ${path}`)
    if (method === 'POST' || path === '/api/user') return Response.json(user)
    // As the server answers once the sign-in is complete.
    if (calls.length > 1) return Response.json({ message: 'Unauthorized' }, { status: 401 })
    return Response.json({ factors: ['authenticator'], passkey: null })
  })
  const ended = vi.fn()
  const done = vi.fn()
  render(
    <QueryClientProvider client={createQueryClient(ended, () => {})}>
      <SecondStep session="trader" onDone={done} onExpired={() => {}} />
    </QueryClientProvider>,
  )
  await userEvent.type(await screen.findByLabelText('Code'), '123456{Enter}')
  await waitFor(() => expect(done).toHaveBeenCalledOnce())
  // The page of the trader is still loading, and this one renders again.
  await userEvent.type(screen.getByLabelText('Code'), '7')
  expect(calls).toEqual(['GET /api/login/factor', 'POST /api/login/factor', 'GET /api/user'])
  expect(ended).not.toHaveBeenCalled()
  expect(screen.queryByText('The sign-in cannot go on')).toBeNull()
  vi.unstubAllGlobals()
})
