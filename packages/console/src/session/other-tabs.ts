// Tells the other tabs of this browser that its session was opened or ended.

type News = 'signed-in' | 'signed-out'

const channel = new BroadcastChannel('runwright.session')

export const tellOtherTabs = (news: News): void => channel.postMessage(news)

export const listenToOtherTabs = (listener: (news: News) => void): (() => void) => {
  const hear = ({ data }: MessageEvent<News>) => listener(data)
  channel.addEventListener('message', hear)
  return () => channel.removeEventListener('message', hear)
}
