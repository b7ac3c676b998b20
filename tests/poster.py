"""The concert poster's elements by the names that their authors gave them."""

from formgym.envs.documents.shipped import shipped_document

POSTER = "concert_poster"
IDS = {element.name: element.id for element in shipped_document(POSTER).elements()}
