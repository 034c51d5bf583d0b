import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { RegisterForm } from './register-form.tsx'

afterEach(() => document.head.replaceChildren())

describe('the privacy policy that a new trader agrees to', () => {
  it('is linked where the operator says where it is, and opens beside the form', () => {
    show('https://firm.example/privacy')
    const link = screen.getByRole('link', { name: 'privacy policy' })
    expect(link.getAttribute('href')).toBe('https://firm.example/privacy')
    expect([link.getAttribute('target'), link.getAttribute('rel')]).toEqual(['_blank', 'noopener noreferrer'])
    expect(screen.getByLabelText('I agree to the privacy policy')).toBeTruthy()
  })

  it('is only named otherwise', () => {
    show('')
    expect(screen.queryByRole('link')).toBeNull()
    expect(screen.getByLabelText('I agree to the privacy policy')).toBeTruthy()
  })
})

function show(policy: string) {
  const meta = document.createElement('meta')
  meta.name = 'privacy-policy'
  meta.content = policy
  document.head.append(meta)
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RegisterForm onDone={() => {}} />
    </QueryClientProvider>,
  )
}
