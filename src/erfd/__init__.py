"""ERFD, effective robot forward dynamics: can this robot arm really do that motion?"""
