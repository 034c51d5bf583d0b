import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ReactNode, useState } from 'react'
import { describe, expect, it } from 'vitest'
import { Tabs } from './tabs.tsx'

function show(content: ReactNode) {
  render(<Tabs label="Parts" tabs={[{ value: 'one', label: 'One', content }]} value="one" onChange={() => {}} />)
}

describe('Tab from a tab', () => {
  it('leads to what can be used in its panel, without a stop at the panel', async () => {
    show(<button type="button">Use me</button>)
    await userEvent.tab()
    expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'One' }))
    await userEvent.tab()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Use me' }))
  })

  it('leads to the panel itself when there is nothing to use in it, so that it can be read and scrolled', async () => {
    show(
      <button type="button" disabled>
        Nothing to use
      </button>,
    )
    await userEvent.tab()
    await userEvent.tab()
    expect(document.activeElement).toBe(screen.getByRole('tabpanel', { name: 'One' }))
  })
})

describe('a control in a panel that leads to another tab', () => {
  function Leading() {
    const [value, setValue] = useState<'one' | 'two'>('one')
    const leads = (
      <button type="button" onClick={() => setValue('two')}>
        Go on
      </button>
    )
    return (
      <Tabs
        label="Parts"
        tabs={[
          { value: 'one', label: 'One', content: leads },
          { value: 'two', label: 'Two', content: 'There' },
        ]}
        value={value}
        onChange={setValue}
      />
    )
  }

  it('takes the focus there', async () => {
    render(<Leading />)
    await userEvent.tab()
    await userEvent.tab()
    await userEvent.keyboard('{Enter}')
    screen.getByText('There')
    expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'Two' }))
  })
})
