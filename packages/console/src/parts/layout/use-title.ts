// The title of the browser tab: how many runs wait for a person, and the page.
import { useEffect } from 'react'

let page = ''
let count = 0

const show = () => {
  document.title = [count > 0 && `(${count})`, page && `${page} ·`, 'Runwright'].filter(Boolean).join(' ')
}

export const useTitle = (title: string): void => {
  useEffect(() => {
    page = title
    show()
  }, [title])
}

export const showCountInTitle = (waiting: number): void => {
  count = waiting
  show()
}
